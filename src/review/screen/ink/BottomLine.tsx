import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { BottomView, KeyHint } from "../view.ts";

/** The keys that apply now, or what just happened, and at the right what goes on. */
export function BottomLine({
  bottom,
  columns,
}: {
  readonly bottom: BottomView;
  readonly columns: number;
}): ReactNode {
  return (
    <Box width={columns} height={1} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} height={1} overflow="hidden">
        <Left bottom={bottom} />
      </Box>
      {bottom.notice === undefined ? null : (
        <Box flexShrink={0} marginLeft={2}>
          <Text color="yellow">{bottom.notice}</Text>
        </Box>
      )}
    </Box>
  );
}

function Left({ bottom }: { readonly bottom: BottomView }): ReactNode {
  if (bottom.input !== undefined) {
    return (
      <Text wrap="truncate">
        <Text bold>{bottom.input.prompt}</Text>
        {bottom.input.text}
      </Text>
    );
  }
  if (bottom.message !== undefined) return <Text wrap="truncate">{bottom.message}</Text>;
  return (
    <Text wrap="truncate">
      {bottom.keys.map((hint, index) => (
        <Hint key={hint.key} hint={hint} first={index === 0} />
      ))}
    </Text>
  );
}

function Hint({ hint, first }: { readonly hint: KeyHint; readonly first: boolean }): ReactNode {
  return (
    <Text>
      {first ? "" : "  "}
      <Text bold>{hint.key}</Text>
      <Text dimColor> {hint.does}</Text>
    </Text>
  );
}
