import { join, resolve } from "node:path";
import type { InlineConfig } from "vite";

const root = resolve(import.meta.dirname, "..");

/** The options shared by the build and the development server of the console. The client is bundled from its sources. */
export const consoleOptions: InlineConfig = {
  configFile: false,
  root: join(root, "console"),
  // The daemon may be published below any path.
  base: "./",
  cacheDir: join(root, "node_modules/.vite"),
  clearScreen: false,
  resolve: { alias: { "@orchd/client": join(root, "src/client/index.ts") } },
};
