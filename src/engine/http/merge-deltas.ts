import { oneLine } from "../../shared/one-line.ts";
import type { EventRow } from "../turns/event-journal.ts";

const MAX_MERGED = 64 * 1024;

/**
 * Neighbouring deltas of one block as one event with the stamp of its last part, so that a long answer is read back in
 * few events. Done when reading, never when writing: every cursor stays exact, and the text put together is the same.
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
    const isDelta = row.type === "text_delta" || row.type === "thinking_delta";
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
  const text = run.map(({ data }) => (JSON.parse(data) as { text: string }).text).join("");
  return oneLine({ ...(JSON.parse(last.data) as object), text });
}
