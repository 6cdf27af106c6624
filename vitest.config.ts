import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    exclude: ["test/soak/**", "**/node_modules/**"],
    globalSetup: ["test/support/build.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Every test makes its own folders and environment; none may read the caller's settings.
    env: { DECKHAND_HOME: "", DECKHAND_PROFILE: "", CI: "", NO_COLOR: "", FORCE_COLOR: "" },
  },
});
