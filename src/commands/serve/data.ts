import { resolve } from "node:path";
import type { Context } from "../../context/context.ts";
import type { Application, ApplicationOptions } from "../../service/app.ts";

/** Opens the service on a folder, without one on that of the profile `local`. */
export async function openData(
  folder: string | undefined,
  context: Context,
  options: Omit<ApplicationOptions, "folder" | "now"> = {},
): Promise<Application> {
  const { openApplication } = await import("../../service/app.ts");
  return openApplication({
    ...options,
    folder: folder === undefined ? context.folders.data : resolve(folder),
    now: context.clock.now,
    onError: (error) =>
      context.io.warn(`a request failed: ${error instanceof Error ? error.message : error}`),
  });
}
