import { dirname, resolve } from "node:path";

/** The folder of the engine's bundles, by the path of its entry: a start-up snapshot keeps no path of its own. */
export const programDir = (): string => resolve(dirname(process.argv[1] ?? ""), "../dist");
