import { dirname, resolve } from "node:path";

/** The folder of the engine's bundles, from the path of the entry script: a start-up snapshot has no `__dirname`. */
export const programDir = (): string => resolve(dirname(process.argv[1] ?? ""), "../dist");
