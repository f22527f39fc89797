import { once } from "node:events";
import type { Daemon } from "../../helpers/daemon.ts";

export const MODES = ["before", "after", "fail", "lost"] as const;
export type Mode = (typeof MODES)[number];
export const kills = (mode: Mode): boolean => mode === "before" || mode === "after";

export interface Fault {
  /** Which outside call, counted from when the daemon is told. */
  readonly n: number;
  readonly mode: Mode;
}

export interface Tried {
  /** Outside calls made. */
  readonly count: number;
  /** The call that was disturbed; null when there were fewer. */
  readonly fired: string | null;
  /** The fault ended the daemon. */
  readonly died: boolean;
}

/** Lets a fault happen to a preloaded daemon during `work`. */
export async function withFault(daemon: Daemon, fault: Fault, work: () => Promise<unknown>): Promise<Tried> {
  const printed = daemon.output().length;
  await tell(daemon, fault);
  await work();
  return disarm(daemon, fault, printed);
}

/** What a daemon starts with so that a fault happens to it from its first call on. */
export const armed = (fault: Fault) => ({ ORCHD_FAULT: JSON.stringify(fault) });

/** No fault from now on; what became of the one before. */
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

/** The call a daemon died at, by what it printed. */
export const faultIn = (output: string): string => /\{"fault":"(.*)"\}/.exec(output)?.[1] ?? "unknown";

/** Null when the daemon has died: it takes no message then. */
async function tell(daemon: Daemon, arm: Fault | null): Promise<Omit<Tried, "died"> | null> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(daemon.process, "message", { signal }).then(([report]) => report);
  // The one that was not quicker is called off.
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
