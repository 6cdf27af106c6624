import { deckFile } from "../folder/layout.ts";
import { settingsOf } from "../schema/today.ts";
import { readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { writeYamlKeys } from "./matter-key.ts";
import { again, done, left, refused, type Sides, unlessUnusable } from "./outcome.ts";
import { isSameSettings, settingNames } from "./plan-settings.ts";
import type { Outcome, SettingsChange } from "./types.ts";

/** @param idOf the id of a deck by its key @param folderOf where its folder is now */
export async function applySettings(
  change: SettingsChange,
  sides: Sides,
  decks: { idOf(key: string): string | undefined; folderOf(id: string): string | undefined },
): Promise<Outcome> {
  const id = decks.idOf(change.key);
  if (id === undefined) return left("its deck could not be created");
  const { side, to } = change;
  const inFolder = side === "folder" || side === "both";
  const path = decks.folderOf(id) ?? change.path;
  if (inFolder) {
    const written = await unlessUnusable(writeFile(path, change, sides));
    if (written.state !== "done") return written;
  }
  if (side === "service" || side === "both") {
    const sent = await unlessUnusable(push(id, change, sides));
    if (sent.state !== "done") return sent;
  }
  sides.state.keepSettings(id, to);
  return done;
}

async function writeFile(path: string, { ours, to }: SettingsChange, { folder }: Sides): Promise<Outcome> {
  const file = `${path}/${deckFile}`;
  const current = folder.read(file);
  if (current === undefined) return again;
  const text = current.bytes.toString("utf8");
  if (!isSameSettings(settingsOf(readYaml(text, file)), ours)) return again;
  const values = settingNames
    .filter((name) => to[name] !== ours[name])
    .map((name) => [name, to[name]] as const);
  const content = writeYamlKeys(text, Object.fromEntries(values));
  return (await folder.write({ path: file, content, expected: current.hash })) === undefined ? again : done;
}

async function push(id: string, { theirs, to }: SettingsChange, { client, step }: Sides): Promise<Outcome> {
  await step(`compare the settings of the deck ${id}`);
  if (!isSameSettings(settingsOf(await client.decks.get(id).send()), theirs)) return again;
  const values = settingNames
    .filter((name) => to[name] !== theirs[name])
    .map((name) => [name, to[name] ?? null]);
  try {
    await step(`update the settings of the deck ${id}`);
    await client.decks.update(id, Object.fromEntries(values)).send();
    return done;
  } catch (error) {
    return refused(error);
  }
}
