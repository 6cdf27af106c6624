import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { type Panel, panelGap } from "../view.ts";

/** A title, some text, and rows of a name and a value. The texts fit before they come here. */
export function PanelView({ panel }: { readonly panel: Panel }): ReactNode {
  const width = Math.max(0, ...panel.rows.map(({ name }) => name.length));
  return (
    <Box flexDirection="column" paddingX={2} paddingTop={1}>
      <Text bold>{panel.title}</Text>
      <Text> </Text>
      <Lines lines={panel.text ?? []} />
      {panel.rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows do not move
        <Box key={index} height={1} flexShrink={0}>
          <Box width={width + panelGap} flexShrink={0}>
            <Text bold={row.strong ?? false}>{row.name}</Text>
          </Box>
          <Text wrap="truncate">{row.value}</Text>
        </Box>
      ))}
      {panel.after === undefined ? null : (
        <Box paddingTop={1} flexDirection="column">
          <Lines lines={panel.after} />
        </Box>
      )}
    </Box>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no names
    <Text key={index} wrap="truncate">
      {line === "" ? " " : line}
    </Text>
  ));
}
