import { once } from "node:events";
import type { Daemon } from "../../helpers/daemon.ts";

export const MODES = ["before", "after", "fail", "lost"] as const;
export type Mode = (typeof MODES)[number];
export const kills = (mode: Mode): boolean => mode === "before" || mode === "after";

interface Report {
  readonly count: number;
  readonly fired: string | null;
}

export interface Tried extends Report {
  /** The fault ended the daemon. */
  readonly died: boolean;
}

/**
 * Lets a fault happen at the n-th outside call that a preloaded daemon makes during `work`, and tells how many calls
 * there were and which one it was.
 */
export async function withFault(
  daemon: Daemon,
  { n, mode }: { readonly n: number; readonly mode: Mode },
  work: () => Promise<unknown>,
): Promise<Tried> {
  const { process: child } = daemon;
  const exited = once(child, "exit");
  const tell = async (arm: object | null): Promise<Report | null> => {
    const answer = once(child, "message");
    // A daemon that has just died takes no message; that it died is what counts.
    child.send({ arm }, () => undefined);
    const [report] = await Promise.race([answer, exited.then(() => [null])]);
    return report;
  };
  const printed = daemon.output().length;
  await tell({ n, mode });
  await work();
  const report = await tell(null);
  if (report !== null) {
    // A fault that strikes once the answer is out may come a moment after it.
    const died = report.fired !== null && kills(mode);
    if (died) await exited;
    return { ...report, died };
  }
  const [, fired = "unknown"] = /\{"fault":"(.*)"\}/.exec(daemon.output().slice(printed)) ?? [];
  return { count: n, fired, died: true };
}
