/**
 * Loaded first in every test file, by .taprc. tap loads a coverage recorder into each test file and from there into
 * each Node.js process the file starts. Daemons, engines and command lines would then run with module hooks, source
 * maps and `NODE_OPTIONS` that they never have otherwise, and each process costs 0.2 s more CPU time.
 */
import { registerHooks } from "node:module";
import { resolve } from "node:path";

const RECORDER = "/@tapjs/processinfo/dist/esm/import.mjs";

const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.endsWith(RECORDER)) return { url: "data:text/javascript,", shortCircuit: true };
    // The test file itself. While hooks are registered, Node.js does not use the compile cache.
    hooks.deregister();
    return nextResolve(specifier, context);
  },
});

// Only for this process: its children have their own options.
delete process.env["NODE_OPTIONS"];
// Children work in other folders.
const cache = process.env["NODE_COMPILE_CACHE"];
if (cache !== undefined) process.env["NODE_COMPILE_CACHE"] = resolve(cache);
