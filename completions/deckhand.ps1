# PowerShell completion for deckhand

Register-ArgumentCompleter -Native -CommandName deckhand -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
    $current = $wordToComplete.Trim("'", '"')
    # Older versions drop empty arguments of programs.
    if ($current -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { $current = '""' }
    & deckhand __complete @words $current 2>$null | Where-Object { $_ -ne ':files' } | ForEach-Object {
        $word, $about = $_ -split "`t", 2
        $text = if ($word -match '[^\w./=-]') { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($word) + "'" } else { $word }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $(if ($about) { $about } else { $word }))
    }
}
