import { delay } from "./clock.ts";
import type { Logger } from "./logger.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Work {
  readonly work: string;
  /** Never rejects. */
  readonly settled: Promise<unknown>;
  /** What it uses was closed before its end, so that its failure says nothing new. */
  isAbandoned: boolean;
}

/** Of the whole process, like the listener of failures: those who start work have nothing else in common. */
const inProgress = new Set<Work>();

class BackgroundFailure extends Error {
  readonly work: string;
  readonly fields: Fields;

  constructor(work: string, fields: Fields, cause: unknown) {
    super(`failed: ${work}`, { cause });
    this.work = work;
    this.fields = fields;
  }
}

/**
 * Owns work that nobody awaits, such as a wake for a call that waits in the kernel. Its failure is logged with its name by
 * the listener of {@link logBackgroundFailures}. A program without the listener ends, as Node.js does by default.
 */
export function inBackground(work: string, running: Promise<unknown>, fields: Fields = {}): void {
  const settled = Promise.allSettled([running]).then(() => inProgress.delete(one));
  const one: Work = { work, settled, isAbandoned: false };
  inProgress.add(one);
  running.catch((cause: unknown) => {
    if (!one.isAbandoned) throw new BackgroundFailure(work, fields, cause);
  });
}

/**
 * Like {@link inBackground}, for what {@link backgroundSettled} does not wait for: it may last as long as this process, such
 * as the wait for an engine's exit.
 */
export function untilExit(work: string, running: Promise<unknown>, fields: Fields = {}): void {
  running.catch((cause: unknown) => {
    throw new BackgroundFailure(work, fields, cause);
  });
}

/**
 * Waits until no background work is in progress, at most this long, before what it uses is closed. Returns the names of
 * the work that is abandoned then, whose failures are no longer logged.
 */
export async function backgroundSettled(deadlineMs: number): Promise<readonly string[]> {
  const late = new AbortController();
  const deadline = delay(deadlineMs, late.signal);
  let isLate = false;
  while (inProgress.size > 0 && !isLate) {
    const settled = Promise.all([...inProgress].map((one) => one.settled)).then(() => false);
    isLate = await Promise.race([settled, deadline]);
  }
  late.abort();
  for (const one of inProgress) one.isAbandoned = true;
  return [...new Set([...inProgress].map(({ work }) => work))];
}

/**
 * Logs failed background work instead of ending this process: one failed task must not end the service of all others. An
 * uncaught exception still ends it, since it may have left shared state half changed.
 */
export function logBackgroundFailures(logger: Logger): void {
  process.on("unhandledRejection", (reason) => {
    const { work, fields, cause } =
      reason instanceof BackgroundFailure ? reason : { work: "unknown", fields: {}, cause: reason };
    logger.error({ ...fields, work, err: cause }, "background work failed");
  });
}
