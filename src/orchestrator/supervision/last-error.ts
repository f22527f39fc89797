import type { LastError } from "../../contract/orchestrator/requests.ts";
import { isoTime } from "../../shared/clock.ts";
import { untrustedText } from "../../shared/untrusted-text.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import type { StoredEngine } from "../fleet/engine-storage.ts";
import { redactLine } from "../fleet/logs/redact-line.ts";
import type { HostContext } from "../host-context.ts";
import { CANNOT_START, ENDS, exitCause } from "../../contract/engine/exit.ts";

const SHOWN_LINES = 20;
/** The line with the cause comes before a Node.js stack trace, so more lines are read than shown. */
const READ_LINES = 200;
const MAX_REASON = 1000;
const MAX_LINE = 1000;

/**
 * Builds the `last_error` of an engine: phase, reason, exit code or signal, and the tail of its log. Never rejects, since
 * supervision must not depend on a readable log.
 */
export async function buildLastError(
  host: Pick<HostContext, "backend" | "now" | "logger">,
  engine: StoredEngine,
  { phase, reason, exit }: { readonly phase: LastError["phase"]; readonly reason: string; readonly exit?: EngineExit },
): Promise<LastError> {
  const tail = await readTail(host, engine);
  const why = exit === undefined ? null : exitReason(exit, tail);
  return {
    phase,
    reason: untrustedText(why === null ? reason : `${reason}: ${why}`, MAX_REASON),
    exit_code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    oom: exit !== undefined && (exit.oom || ranOutOfHeap(exit, tail)),
    // Redacted last: removing control sequences may join the parts of a key.
    log_tail: tail.slice(-SHOWN_LINES).map((line) => redactLine(untrustedText(line, MAX_LINE))),
    at: isoTime(host.now()),
  };
}

async function readTail(
  host: Pick<HostContext, "backend" | "logger">,
  engine: StoredEngine,
): Promise<readonly string[]> {
  try {
    return await host.backend.logs(engine, READ_LINES);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: engine.id }, "failed to read the log of an exited engine");
    return [];
  }
}

const EVENT_LINES = 3;
const EVENT_CHARACTERS = 500;
/** Lines of a Node.js stack trace and what is printed around it. */
const TRACE = /^\s*(?:at .*|Node\.js v.*|\^+)?$/;

/** The fields of an exit for its event. The log tail is cut to the last lines that are no stack trace. */
export function exitEventData({ log_tail: tail, at: _, ...fields }: LastError): Readonly<Record<string, unknown>> {
  const lines = tail.filter((line) => !TRACE.test(line)).slice(-EVENT_LINES);
  return { ...fields, log_tail: lines.map((line) => line.slice(0, EVENT_CHARACTERS).toWellFormed()) };
}

/** Node.js aborts when its heap is exhausted and logs the cause. */
const ranOutOfHeap = ({ code, signal }: EngineExit, tail: readonly string[]): boolean =>
  (signal === "SIGABRT" || code === 134) && tail.some((line) => line.includes("heap out of memory"));

/** As in "exited with code 1" or "exited on SIGKILL". */
export function describeExit({ code, signal }: EngineExit): string {
  return signal !== null ? `on ${signal}` : code !== null ? `with code ${code}` : "unobserved";
}

/** The cause of a deliberate exit: the engine's last log lines, else the meaning of its exit code. Null for a crash. */
function exitReason({ code }: EngineExit, log: readonly string[]): string | null {
  const row = exitCause(code);
  return row === null ? null : (loggedCause(log) ?? row.cause);
}

/** The log line with the cause and the indented lines after it. */
function loggedCause(log: readonly string[]): string | null {
  const start = log.findLastIndex((line) => line.startsWith(CANNOT_START) || line.startsWith(ENDS));
  const [first, ...rest] = start === -1 ? [] : log.slice(start);
  if (first === undefined) return null;
  const end = rest.findIndex((line) => !/^\s/.test(line));
  const details = (end === -1 ? rest : rest.slice(0, end)).map((line) => line.trim());
  return [first.slice(first.indexOf(":") + 1).trim(), ...details].filter((part) => part !== "").join("; ");
}
