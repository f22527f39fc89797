import { oneLine } from "../../shared/one-line.ts";
import type { EventRow } from "../turns/event-journal.ts";

const MAX_MERGED = 64 * 1024;
/** The field of each delta that adds up to the whole. */
const TEXT_OF: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "text",
  tool_input_delta: "json",
};

/**
 * Merges adjacent deltas of one block into one event with the stamp of the last, so a long answer is replayed in few
 * events. Events are merged when they are read, never in the store, so every cursor stays exact.
 */
export function mergeDeltas(rows: readonly EventRow[]): EventRow[] {
  const merged: EventRow[] = [];
  let run: EventRow[] = [];
  let length = 0;
  const close = () => {
    const last = run.at(-1);
    if (last === undefined) return;
    if (run.length === 1) merged.push(last);
    else merged.push({ ...last, data: joined(run, last) });
    run = [];
    length = 0;
  };
  for (const row of rows) {
    const before = run.at(-1);
    const isDelta = TEXT_OF[row.type] !== undefined;
    if (!isDelta || before?.type !== row.type || before.turnId !== row.turnId || length > MAX_MERGED) close();
    if (isDelta) {
      run.push(row);
      length += row.data.length;
    } else {
      merged.push(row);
    }
  }
  close();
  return merged;
}

function joined(run: readonly EventRow[], last: EventRow): string {
  const field = TEXT_OF[last.type] ?? "";
  const text = run.map(({ data }) => (JSON.parse(data) as Record<string, string>)[field]).join("");
  return oneLine({ ...(JSON.parse(last.data) as object), [field]: text });
}
