import { ALL_TASKS, type EventJournal, type EventRow } from "../turns/event-journal.ts";
import type { EventStream } from "./event-stream.ts";
import { mergeDeltas } from "./merge-deltas.ts";

const PAGE = 1000;
/** Half of what a reader may leave unread: each reader costs no more memory than that, however large events are. */
const PAGE_LENGTH = 1024 * 1024;

export interface Following {
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly afterSeq?: number | undefined;
  readonly afterTs?: number | undefined;
  /** Not with `live`: how many of the stored events. */
  readonly limit?: number | undefined;
  /** Goes on with what happens from now on, instead of ending with what is stored. */
  readonly live: boolean;
  /** Puts neighbouring deltas together where they are read from the store. */
  readonly merge: boolean;
  /** Given, the stream ends with its turn, which may be over already; otherwise a live stream ends when its reader leaves. */
  readonly isRunning: (() => boolean) | null;
}

/**
 * Writes events to a reader from its cursor on. What is stored is read in pages, as fast as the reader reads; when
 * nothing is left the reader is handed each batch as it is stored. Looking that nothing is left and subscribing are
 * one synchronous step: no event falls between, none comes twice. A reader that falls behind goes back to pages.
 */
export async function followEvents(stream: EventStream, journal: EventJournal, following: Following): Promise<void> {
  const { taskId, turnId, afterTs, live, merge, isRunning } = following;
  const endsWithTurn = isRunning !== null;
  let afterSeq = following.afterSeq ?? 0;
  let left = following.limit ?? Infinity;
  while (!stream.closed.aborted) {
    journal.flush();
    const rows = journal.read({
      taskId,
      turnId,
      afterTs,
      afterSeq,
      limit: Math.min(PAGE, left),
      maxLength: PAGE_LENGTH,
    });
    const last = rows.at(-1);
    if (last === undefined) {
      if (!live || isRunning?.() === false) break;
      const next = await handOver(stream, journal, { taskId, turnId, afterSeq, endsWithTurn });
      if (next === null) break;
      afterSeq = next;
      continue;
    }
    afterSeq = last.seq;
    left -= rows.length;
    stream.write(merge ? mergeDeltas(rows) : rows);
    if (left === 0 || (endsWithTurn && rows.some(endsTurn))) break;
    await stream.drained();
  }
  stream.upToDate = false;
  stream.end();
}

/** Until the reader falls behind (from which `seq` it has to be read on) or the stream is over (null). */
function handOver(
  stream: EventStream,
  journal: EventJournal,
  {
    taskId,
    turnId,
    afterSeq,
    endsWithTurn,
  }: Pick<Following, "taskId" | "turnId"> & { readonly afterSeq: number; readonly endsWithTurn: boolean },
): Promise<number | null> {
  return new Promise((resolve) => {
    let seq = afterSeq;
    const finish = (next: number | null) => {
      stream.upToDate = false;
      unsubscribe();
      stream.closed.removeEventListener("abort", gone);
      resolve(next);
    };
    const gone = () => finish(null);
    const unsubscribe = journal.subscribe(taskId ?? ALL_TASKS, (batch) => {
      if (!stream.upToDate) return;
      const rows = turnId === undefined ? batch : batch.filter((row) => row.turnId === turnId);
      seq = batch.at(-1)?.seq ?? seq;
      stream.write(rows);
      if (endsWithTurn && rows.some(endsTurn)) finish(null);
      else if (stream.isBackedUp) void stream.drained().then(() => finish(seq));
      if (stream.isBackedUp) stream.upToDate = false;
    });
    stream.closed.addEventListener("abort", gone, { once: true });
    stream.upToDate = true;
    if (stream.closed.aborted) gone();
  });
}

/** A turn's last event: `completed`, or `error`, which comes behind `errored`. */
function endsTurn({ type, data }: EventRow): boolean {
  return (
    type === "error" || (type === "thread_lifecycle" && (JSON.parse(data) as { phase: string }).phase === "completed")
  );
}
