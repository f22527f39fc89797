/**
 * `npm run pretest` runs this file. It bundles what test files load of tap and puts it where they find it first: the 200
 * modules take 0.1 s of CPU time in each test file.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";

const tests = resolve(import.meta.dirname, "..");
const tap = resolve(tests, "../node_modules/tap");
const place = join(tests, "node_modules/tap");
/** In the scope that tap leaves out of the places it reports. */
const bundle = "../@tapjs/tap.mjs";

mkdirSync(place, { recursive: true });
await build({
  stdin: { contents: 'export { t as default } from "./index.js";', resolveDir: join(tap, "dist/esm") },
  outfile: join(place, bundle),
  bundle: true,
  platform: "node",
  format: "esm",
  // Some of its parts are CommonJS.
  banner: {
    js: 'import { createRequire as forRequire } from "node:module";\nconst require = forRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const types = relative(place, join(tap, "dist/esm/index.d.ts"));
writeFileSync(join(place, "package.json"), JSON.stringify({ name: "tap", main: bundle, types }));
