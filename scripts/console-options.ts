import { join, resolve } from "node:path";
import type { InlineConfig } from "vite";

const root = resolve(import.meta.dirname, "..");

/** Where the daemon serves the console. */
const BASE = "/console/";

/** What building and developing the console have in common. The client is bundled from its sources. */
export const consoleOptions: InlineConfig = {
  configFile: false,
  root: join(root, "console"),
  base: BASE,
  cacheDir: join(root, "node_modules/.vite"),
  clearScreen: false,
  resolve: { alias: { "@orchd/client": join(root, "src/client/index.ts") } },
};
