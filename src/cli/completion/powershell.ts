import type { CommandModel, Completes } from "./model.ts";

/** The argument completer for PowerShell. */
export function powershellScript(commands: readonly CommandModel[]): string {
  return `# PowerShell completion for deckhand
# Generated from the command tree: do not edit.

Register-ArgumentCompleter -Native -CommandName deckhand -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commands = @{
${commands.map(commandEntry).join("\n")}
    }

    $aliases = @{ ${aliases(commands)} }

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $global = $commands['']
    $plain = @(); $skip = $false
    foreach ($word in $words) {
        if ($skip) { $skip = $false; continue }
        if ($word.StartsWith('-')) { $skip = $word -in $global.Taking -or ($plain.Count -gt 0 -and $word -in @($commands.Values | ForEach-Object { $_.Taking })) }
        else { $plain += $word }
    }
    $at = [Array]::IndexOf($words, '--profile')
    $account = @(if ($at -ge 0 -and $at + 1 -lt $words.Count) { $words[$at + 1] })
    if ($plain.Count -ge 1 -and $aliases.ContainsKey($plain[0])) { $plain[0] = $aliases[$plain[0]] }
    if ($plain.Count -ge 2 -and $aliases.ContainsKey("$($plain[0]) $($plain[1])")) { $plain[1] = $aliases["$($plain[0]) $($plain[1])"] }
    $path = if ($plain.Count -ge 2 -and $commands.ContainsKey("$($plain[0]) $($plain[1])")) { "$($plain[0]) $($plain[1])" }
        elseif ($plain.Count -ge 1 -and $commands.ContainsKey($plain[0])) { $plain[0] } else { '' }
    $command = $commands[$path]
    $previous = if ($words.Count -gt 0) { $words[-1] } else { '' }

    function Complete-Values($what) {
        switch ($what.Kind) {
            'after' { if ($plain.Count -gt 0 -and $what.Values.ContainsKey($plain[-1])) { Complete-Values $what.Values[$plain[-1]] } }
            'words' { $what.Words | ForEach-Object { @{ Text = $_; About = $_ } } }
            'names' { & deckhand __complete $what.Of @account 2>$null | ForEach-Object {
                $name, $about = $_ -split "\`t", 2
                @{ Text = if ($name -match '[^\\w./-]') { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($name) + "'" } else { $name }; About = if ($about) { $about } else { $name } } } }
        }
    }

    $found = if ($command.Values.ContainsKey($previous)) { Complete-Values $command.Values[$previous] }
        elseif ($wordToComplete.StartsWith('-')) { $command.Options }
        else { @($command.Verbs | Where-Object { $plain.Count -eq @($path -split ' ' -ne '').Count }) + @($command.Positionals | ForEach-Object { Complete-Values $_ }) }
    $typed = $wordToComplete.Trim("'", '"')
    $found | Where-Object { $_ -and $_.Text.Trim("'").StartsWith($typed, [StringComparison]::OrdinalIgnoreCase) } |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_.Text, $_.Text, 'ParameterValue', $_.About) }
}
`;
}

function aliases(commands: readonly CommandModel[]): string {
  return commands
    .flatMap(({ path: [noun = "", verb], aliases }) =>
      aliases.map((alias) =>
        verb === undefined
          ? `${quote(alias)} = ${quote(noun)}`
          : `${quote(`${noun} ${alias}`)} = ${quote(verb)}`,
      ),
    )
    .join("; ");
}

function commandEntry(command: CommandModel): string {
  const taking = command.options.filter(({ value }) => value);
  const values = taking.flatMap(({ names, value }) =>
    names.map((name) => `${quote(name)} = ${table(value as Completes)}`),
  );
  const options = command.options.flatMap(({ names, about }) => names.map((name) => item(name, about)));
  return `        ${quote(command.path.join(" "))} = @{
            Verbs = @(${command.verbs.map(({ name, about }) => item(name, about)).join(", ")})
            Options = @(${options.join(", ")})
            Taking = @(${taking.flatMap(({ names }) => names.map(quote)).join(", ")})
            Values = @{ ${values.join("; ")} }
            Positionals = @(${command.positionals.map(table).join(", ")})
        }`;
}

function table(completes: Completes): string {
  if (completes.kind === "words")
    return `@{ Kind = 'words'; Words = @(${completes.words.map(quote).join(", ")}) }`;
  if (completes.kind === "after") {
    const values = Object.entries(completes.values).map(
      ([word, value]) => `${quote(word)} = ${table(value)}`,
    );
    return `@{ Kind = 'after'; Values = @{ ${values.join("; ")} } }`;
  }
  if (completes.kind === "names") return `@{ Kind = 'names'; Of = '${completes.of}' }`;
  return `@{ Kind = '${completes.kind}' }`;
}

const item = (text: string, about: string) => `@{ Text = ${quote(text)}; About = ${quote(about || text)} }`;
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
