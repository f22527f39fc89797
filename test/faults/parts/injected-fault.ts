import { once } from "node:events";
import type { Daemon } from "../../helpers/daemon.ts";

export const MODES = ["before", "after", "fail", "lost"] as const;
export type Mode = (typeof MODES)[number];
export const kills = (mode: Mode): boolean => mode === "before" || mode === "after";

export interface Fault {
  /** The number of the external call, counted from the injection. */
  readonly n: number;
  /** Only these calls are counted. Default: all. */
  readonly only?: "query" | "claim" | `query ${string}`;
  readonly mode: Mode;
}

export interface Tried {
  /** External calls made. */
  readonly count: number;
  /** The call with the fault. Null when there were fewer calls. */
  readonly fired: string | null;
  /** The fault ended the daemon. */
  readonly died: boolean;
}

/** Injects a fault into a preloaded daemon during `work`. */
export async function withFault(daemon: Daemon, fault: Fault, work: () => Promise<unknown>): Promise<Tried> {
  const printed = daemon.output().length;
  await tell(daemon, fault);
  await work();
  return disarm(daemon, fault, printed);
}

/** The environment of a daemon with a fault from its first call on. */
export const armed = (fault: Fault) => ({ ORCHD_FAULT: JSON.stringify(fault) });

/** Removes the fault and reports what it did. */
export async function disarm(daemon: Daemon, { n, mode }: Fault, printed = 0): Promise<Tried> {
  const report = await tell(daemon, null);
  if (report !== null) {
    // A fault that strikes once the answer is out may come a moment after it.
    const died = report.fired !== null && kills(mode);
    if (died) await ended(daemon);
    return { ...report, died };
  }
  return { count: n, fired: faultIn(daemon.output().slice(printed)), died: true };
}

/** The call at which a daemon died, from its output. */
export const faultIn = (output: string): string => /\{"fault":"(.*)"\}/.exec(output)?.[1] ?? "unknown";

/** Null when the daemon has died and receives no message. */
async function tell(daemon: Daemon, arm: Fault | null): Promise<Omit<Tried, "died"> | null> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(daemon.process, "message", { signal }).then(([report]) => report);
  // The slower one is cancelled.
  answer.catch(() => undefined);
  const gone = ended(daemon, signal).then(() => null);
  gone.catch(() => undefined);
  daemon.process.send({ arm }, () => undefined);
  const report = await Promise.race([answer, gone]);
  settled.abort();
  return report;
}

async function ended({ process: child }: Daemon, signal?: AbortSignal): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit", { ...(signal && { signal }) });
}
