import type { Logger } from "../../shared/logger.ts";
import type { ServerLog } from "./connection.ts";
import { StderrTail } from "./stderr-tail.ts";
import type { ServerConfig } from "./server-config.ts";

const MAX_TEXT = 1000;
const WINDOW_MS = 10_000;
const LINES_A_WINDOW = 200;
const LAST_WORDS = 1000;
/** Shorter values are found in too much that is none of them. */
const SECRET_FROM = 6;

/** At DEBUG, cut and counted: a server that floods costs the log no more than one that talks. */
export function createServerLog(logger: Logger, server: ServerConfig): ServerLog {
  const log = logger.child({ tool_server: server.name });
  const hide = hider(server);
  const budget = new LineBudget((dropped) => log.debug({ dropped }, "tool server said too much"));
  const last = new StderrTail(hide);
  const write = (words: string, fields: () => Readonly<Record<string, unknown>>) => {
    if (log.isLevelEnabled("debug") && budget.take(Date.now())) log.debug(fields(), words);
  };
  const shown = (text: string) => hide(text.slice(0, MAX_TEXT)).toWellFormed();
  return {
    frame: (direction, text) =>
      write("tool server frame", () => ({
        direction,
        size: text.length,
        frame: shown(typeof text === "string" ? text : text.toString("utf8", 0, MAX_TEXT)),
      })),
    stderr(chunk) {
      for (const line of last.take(chunk))
        if (line !== "") write("tool server stderr", () => ({ stderr: shown(line) }));
    },
    note: (words) => write("tool server", () => ({ detail: shown(words) })),
    warn: (words) => log.warn({ detail: shown(words) }, "tool server held back"),
    started: () => last.clear(),
    stderrTail: () => last.lines,
    stderrText: () => last.lines.join("; ").slice(-LAST_WORDS).toWellFormed(),
    hide,
  };
}

/** The values of an entry's `env` and `headers` are what a product keeps from everybody, the log included. */
function hider(server: ServerConfig): (text: string) => string {
  const values = Object.values(server.transport === "stdio" ? server.env : server.headers);
  const secrets = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter(({ length }) => length >= SECRET_FROM)
    .toSorted((left, right) => right.length - left.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}

/** So many lines a window; the first line of the next one tells how many were dropped. */
class LineBudget {
  readonly #tell: (dropped: number) => void;
  #windowEnds = 0;
  #lines = 0;

  constructor(tell: (dropped: number) => void) {
    this.#tell = tell;
  }

  take(now: number): boolean {
    if (now >= this.#windowEnds) {
      if (this.#lines > LINES_A_WINDOW) this.#tell(this.#lines - LINES_A_WINDOW);
      this.#windowEnds = now + WINDOW_MS;
      this.#lines = 0;
    }
    return ++this.#lines <= LINES_A_WINDOW;
  }
}
