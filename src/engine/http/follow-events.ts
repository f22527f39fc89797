import { inBackground } from "../../shared/background.ts";
import { ALL_TASKS, type EventJournal, type EventRow } from "../turns/event-journal.ts";
import type { EventReader } from "./event-reader.ts";
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
  /** Continues with new events after the stored ones, instead of ending. */
  readonly live: boolean;
  /** Merges adjacent deltas that are read from the store. */
  readonly merge: boolean;
  /** Of one turn: the stream ends with it, also when it has ended before. Null: a live stream ends when its reader leaves. */
  readonly isRunning: (() => boolean) | null;
}

/**
 * Writes events to a reader from its cursor on. Stored events are read in pages, as fast as the reader reads. After the
 * last page, the reader is subscribed to new batches. The empty page and the subscription are one synchronous step, so no
 * event is lost or sent twice. A reader that falls behind returns to pages.
 */
export async function followEvents(stream: EventReader, journal: EventJournal, following: Following): Promise<void> {
  const { taskId, turnId, live } = following;
  // Before the first wait: a turn that this reader starts begins after it.
  const forget = live ? journal.noteReader({ taskId, turnId, wants: (type) => stream.wants(type) }) : undefined;
  try {
    await writeEvents(stream, journal, following);
  } finally {
    forget?.();
  }
}

async function writeEvents(stream: EventReader, journal: EventJournal, following: Following): Promise<void> {
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
      const next = await followLive(stream, journal, { taskId, turnId, afterSeq, endsWithTurn });
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

/** Resolves with the `seq` to read on from when the reader falls behind, or with null when the stream has ended. */
function followLive(
  stream: EventReader,
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
      else if (stream.isBackedUp)
        inBackground(
          "wait for a slow reader",
          stream.drained().then(() => finish(seq)),
        );
      if (stream.isBackedUp) stream.upToDate = false;
    });
    stream.closed.addEventListener("abort", gone, { once: true });
    stream.upToDate = true;
    if (stream.closed.aborted) gone();
  });
}

/** A turn's last event: `completed`, or the `error` that follows `errored`. */
function endsTurn({ type, data }: EventRow): boolean {
  return (
    type === "error" || (type === "thread_lifecycle" && (JSON.parse(data) as { phase: string }).phase === "completed")
  );
}
