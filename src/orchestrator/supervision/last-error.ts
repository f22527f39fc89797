import type { LastError } from "../../contract/orchestrator-api.ts";
import { isoTime } from "../../shared/clock.ts";
import { untrustedText } from "../../shared/untrusted-text.ts";
import type { EngineExit } from "../fleet/engine-backend.ts";
import { logTail, redactLine } from "../fleet/engine-log.ts";
import { engineFolder } from "../fleet/engine-folder.ts";
import { exitReason } from "./describe-exit.ts";
import type { HostContext } from "../host-context.ts";

const SHOWN_LINES = 20;
/** A stack of Node.js's own stands behind the line that says what it died of. */
const READ_LINES = 200;
const MAX_REASON = 1000;
const MAX_LINE = 1000;

/**
 * What went wrong with an engine, for its record: how its process ended, if it did, why, and the end of its log. Never
 * rejects: what follows from an end must not depend on a file that can be read.
 */
export async function buildLastError(
  host: Pick<HostContext, "settings" | "now" | "logger">,
  engineId: string,
  { phase, reason, exit }: { readonly phase: LastError["phase"]; readonly reason: string; readonly exit?: EngineExit },
): Promise<LastError> {
  const tail = await readTail(host, engineId);
  const why = exit === undefined ? null : exitReason(exit, tail);
  return {
    phase,
    reason: untrustedText(why === null ? reason : `${reason}: ${why}`, MAX_REASON),
    exit_code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    oom: exit !== undefined && (exit.oom || filledItsHeap(exit, tail)),
    // A key may show only once terminal sequences in it are gone.
    log_tail: tail.slice(-SHOWN_LINES).map((line) => redactLine(untrustedText(line, MAX_LINE))),
    at: isoTime(host.now()),
  };
}

async function readTail(host: Pick<HostContext, "settings" | "logger">, engineId: string): Promise<readonly string[]> {
  try {
    return await logTail(engineFolder(host, engineId), READ_LINES);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: engineId }, "the log of an engine that ended cannot be read");
    return [];
  }
}

const TOLD_LINES = 3;
const TOLD_CHARACTERS = 500;
/** A stack and what Node.js prints around it. */
const TRACE = /^\s*(?:at .*|Node\.js v.*|\^+)?$/;

/** The end of an engine as its event tells it: of the log the last lines that say something. */
export function exitEventData({ log_tail: tail, at: _, ...how }: LastError): Readonly<Record<string, unknown>> {
  const telling = tail.filter((line) => !TRACE.test(line)).slice(-TOLD_LINES);
  return { ...how, log_tail: telling.map((line) => line.slice(0, TOLD_CHARACTERS).toWellFormed()) };
}

/** Node.js aborts when its heap is full, and says so last. */
const filledItsHeap = ({ code, signal }: EngineExit, tail: readonly string[]): boolean =>
  (signal === "SIGABRT" || code === 134) && tail.some((line) => line.includes("heap out of memory"));
