import { parseArgs } from "node:util";

/** What the daemon is started for. */
export type Wish = "serve" | "stop-engines" | "help" | "version";

/** The command line cannot be understood. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

export const USAGE = `usage: orchd [--stop-engines | --version | --help]

Without an option it serves until SIGTERM or SIGINT, which leave the engines running; its settings are environment
variables (ORCH_*, DATABASE_URL, LLM_*), described in the README.

  --stop-engines  end every engine of this host, each when its turns are done, and exit; no orchd may be serving.
                  They stay wanted: the next start of orchd starts them again.
`;

export function readArguments(args: readonly string[]): Wish {
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
