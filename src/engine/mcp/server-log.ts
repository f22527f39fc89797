import { stripVTControlCharacters } from "node:util";
import type { Logger } from "../../shared/logger.ts";
import type { ServerLog } from "./connection.ts";
import type { ServerConfig } from "./server-config.ts";

const MAX_LOGGED_LENGTH = 1000;
const WINDOW_MS = 10_000;
const LINES_PER_WINDOW = 200;
const MAX_STDERR_LENGTH = 1000;
/** Shorter values would match too much that is no secret. */
const MIN_SECRET_LENGTH = 6;

const JWT = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;

const MAX_LINES = 10;
const MAX_LINE_LENGTH = 300;
/** Stack frames, caret lines and the Node.js version that follow the error line. */
const TRACE = /^\s*(?:at .*|Node\.js v.*|\^+)?$/;

/** Logs at DEBUG, truncated and rate-limited, so that a flooding server cannot fill the log. */
export function createServerLog(logger: Logger, server: ServerConfig): ServerLog {
  const log = logger.child({ tool_server: server.name });
  const redact = redactor(server);
  const limit = new LineLimit((dropped) => log.debug({ dropped }, "dropped log lines of the tool server"));
  const tail = new StderrTail(redact);
  const write = (message: string, fields: () => Readonly<Record<string, unknown>>) => {
    if (log.isLevelEnabled("debug") && limit.take(performance.now())) log.debug(fields(), message);
  };
  const shown = (text: string) => redact(text.slice(0, MAX_LOGGED_LENGTH)).toWellFormed();
  return {
    frame: (direction, text) =>
      write("tool server frame", () => ({
        direction,
        size: text.length,
        frame: shown(typeof text === "string" ? text : text.toString("utf8", 0, MAX_LOGGED_LENGTH)),
      })),
    stderr(chunk) {
      for (const line of tail.take(chunk))
        if (line !== "") write("tool server stderr", () => ({ stderr: shown(line) }));
    },
    debug: (message) => write("tool server", () => ({ detail: shown(message) })),
    warn: (message) => log.warn({ detail: shown(message) }, "tool server exceeded a limit"),
    processStarted: () => tail.clear(),
    stderrTail: () => tail.lines,
    stderrText: () => tail.lines.join("; ").slice(-MAX_STDERR_LENGTH).toWellFormed(),
    redact,
  };
}

/** Values of `env` and `headers` may be secrets. */
function redactor(server: ServerConfig): (text: string) => string {
  const values = Object.values(server.transport === "stdio" ? server.env : server.headers);
  const secrets = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .toSorted((left, right) => right.length - left.length);
  // A server may echo the token of a request.
  const hidden = server.transport !== "stdio" && server.identity !== undefined ? [...secrets, JWT] : secrets;
  return (text) => hidden.reduce<string>((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
}

/** A fixed number of lines in each window; the next window reports how many were dropped. */
class LineLimit {
  readonly #onDropped: (dropped: number) => void;
  #windowEndsAt = 0;
  #lines = 0;

  constructor(onDropped: (dropped: number) => void) {
    this.#onDropped = onDropped;
  }

  take(now: number): boolean {
    if (now >= this.#windowEndsAt) {
      if (this.#lines > LINES_PER_WINDOW) this.#onDropped(this.#lines - LINES_PER_WINDOW);
      this.#windowEndsAt = now + WINDOW_MS;
      this.#lines = 0;
    }
    return ++this.#lines <= LINES_PER_WINDOW;
  }
}

/** The last lines of a program's standard error, without secrets, control characters or stack traces. */
class StderrTail {
  readonly #redact: (text: string) => string;
  #lines: readonly string[] = [];
  #rest = "";

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** Returns the lines that the chunk completes, unchanged. */
  take(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split("\n");
    // Redact before truncating: half a secret would not match.
    this.#rest = this.#redact(lines.pop() ?? "").slice(-4 * MAX_LINE_LENGTH);
    const fresh = lines.slice(-4 * MAX_LINES).flatMap((line) => this.#format(line));
    this.#lines = [...this.#lines, ...fresh].slice(-MAX_LINES);
    return lines;
  }

  clear(): void {
    this.#lines = [];
    this.#rest = "";
  }

  get lines(): readonly string[] {
    return [...this.#lines, ...this.#format(this.#rest)].slice(-MAX_LINES);
  }

  #format(line: string): readonly string[] {
    const plain = this.#redact(stripVTControlCharacters(line));
    if (TRACE.test(plain)) return [];
    return [
      plain
        .toWellFormed()
        .replaceAll(/[\s\p{C}]+/gu, " ")
        .trim()
        .slice(0, MAX_LINE_LENGTH)
        .toWellFormed(),
    ];
  }
}
