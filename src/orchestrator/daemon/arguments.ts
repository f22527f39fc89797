import { parseArgs } from "node:util";

/** What the command line asks for. */
export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "serve" }
  | { readonly kind: "stop-engines" }
  | { readonly kind: "verify"; readonly file: string; readonly json: boolean }
  | {
      readonly kind: "restore";
      readonly file: string;
      readonly json: boolean;
      readonly resumeSchedules: boolean;
    };

/** The command line is invalid. The message ends with the usage. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

export const USAGE = `usage: orchd [--stop-engines | --verify <file> | --restore <file> | --version | --help]

Without an option, orchd serves until SIGTERM or SIGINT. Engines keep running after it exits.
Settings are environment variables (ORCH_*, DATABASE_URL, LLM_*), described in the README.

  --stop-engines  drain and stop every engine of this host, then exit. No other orchd may be running.
                  The next start of orchd restarts the engines.
  --verify        check a backup (- for standard input). ORCH_BACKUP_PASSPHRASE decrypts it.
  --restore       restore a backup into an empty data folder and database. No orchd may be running.
  --resume-schedules  with --restore: run the schedules at once. The host that was backed up must not run any more.
  --json          print the result of --verify or --restore as JSON.
`;

/** Throws {@link InvalidArguments}. */
export function readArguments(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        "stop-engines": { type: "boolean" },
        verify: { type: "string" },
        restore: { type: "string" },
        "resume-schedules": { type: "boolean" },
        json: { type: "boolean" },
        version: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
    const { verify, restore, json = false } = values;
    if (values.help) return { kind: "help" };
    if (values.version) return { kind: "version" };
    if (verify !== undefined) return { kind: "verify", file: verify, json };
    if (restore !== undefined)
      return { kind: "restore", file: restore, json, resumeSchedules: values["resume-schedules"] ?? false };
    return values["stop-engines"] ? { kind: "stop-engines" } : { kind: "serve" };
  } catch (error) {
    throw new InvalidArguments(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, {
      cause: error,
    });
  }
}
