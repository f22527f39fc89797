/** Runs the script of `backend-script.ts` on the simulated machine and prints what happened, as JSON. */
import { installGlobals } from "./kernel/globals.ts";
import { replaceModules } from "./kernel/replace-modules.ts";

replaceModules();
const { openWorld } = await import("./open-world.ts");
const { runBackendScript } = await import("./simulated-backend.ts");
installGlobals();
openWorld({ seed: 1, pace: 2 });
console.log(JSON.stringify(await runBackendScript()));
process.exit(0);
