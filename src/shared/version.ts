import manifest from "../../package.json" with { type: "json" };

/** The version of the package: of the daemon, the engine and the command line alike. */
export const VERSION: string = manifest.version;
