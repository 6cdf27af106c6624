import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { TopView } from "../view.ts";

/** Deck, position, progress and time. What does not fit is left out from the right; the notice never is. */
export function TopLine({ top, columns }: { readonly top: TopView; readonly columns: number }): ReactNode {
  const bar = columns >= 60 ? Math.min(20, Math.floor(columns / 6)) : 0;
  return (
    <Box width={columns} height={1} flexShrink={0}>
      <Box flexGrow={1} flexShrink={1} overflow="hidden">
        <Text wrap="truncate" bold>
          {top.deck}
        </Text>
      </Box>
      {top.notice === undefined ? null : (
        <Box flexShrink={0} marginLeft={2}>
          <Text color="yellow">{top.notice}</Text>
        </Box>
      )}
      <Box flexShrink={0} marginLeft={2}>
        <Text>{top.position}</Text>
      </Box>
      {bar === 0 ? null : (
        <Box flexShrink={0} marginLeft={2}>
          <Text>
            <Text color="green">{"━".repeat(Math.round(top.done * bar))}</Text>
            <Text dimColor>{"─".repeat(bar - Math.round(top.done * bar))}</Text>
          </Text>
        </Box>
      )}
      {columns < 50 ? null : (
        <Box flexShrink={0} marginLeft={2}>
          <Text dimColor>{top.elapsed}</Text>
        </Box>
      )}
    </Box>
  );
}
