import { parseArgs } from "node:util";

/** What the command line asks for. */
export type Command = "serve" | "stop-engines" | "help" | "version";

/** The command line is invalid. The message ends with the usage. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

export const USAGE = `usage: orchd [--stop-engines | --version | --help]

Without an option, orchd serves until SIGTERM or SIGINT. Engines keep running after it exits.
Settings are environment variables (ORCH_*, DATABASE_URL, LLM_*), described in the README.

  --stop-engines  drain and stop every engine of this host, then exit. No other orchd may be running.
                  The next start of orchd restarts the engines.
`;

export function readArguments(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        "stop-engines": { type: "boolean" },
        version: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help) return "help";
    if (values.version) return "version";
    return values["stop-engines"] ? "stop-engines" : "serve";
  } catch (error) {
    throw new InvalidArguments(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, {
      cause: error,
    });
  }
}
