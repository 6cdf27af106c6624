import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { type BodyView, lineMark, type ScreenView } from "../view.ts";
import { BottomLine } from "./BottomLine.tsx";
import { PanelView } from "./PanelView.tsx";
import { TopLine } from "./TopLine.tsx";

/** The whole screen: a line at the top, the card or a panel, a line at the bottom. */
export function Screen({ view }: { readonly view: ScreenView }): ReactNode {
  const { columns, rows, body } = view;
  if (body.type === "too-small") {
    return (
      <Box width={columns} height={rows}>
        <Text wrap="truncate">{body.text}</Text>
      </Box>
    );
  }
  return (
    <Box width={columns} height={rows} flexDirection="column">
      <TopLine top={view.top} columns={columns} />
      <Box height={rows - 2} flexDirection="column" flexShrink={0}>
        <Body body={body} rows={rows - 2} />
      </Box>
      <BottomLine bottom={view.bottom} columns={columns} />
    </Box>
  );
}

function Body({ body, rows }: { readonly body: BodyView; readonly rows: number }): ReactNode {
  if (body.type === "lines") return <Text>{Array(rows).fill(lineMark).join("\n")}</Text>;
  if (body.type === "panel") return <PanelView panel={body.panel} />;
  return null;
}
