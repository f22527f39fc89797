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
 * Merges adjacent deltas of one block into one event with the stamp of the last, so a long answer is read in few events.
 * Events are merged when they are read, never in the store, so every cursor stays exact.
 */
export function mergeDeltas(rows: readonly EventRow[]): EventRow[] {
  const merged: EventRow[] = [];
  let run: EventRow[] = [];
  let length = 0;
  const close = () => {
    const last = run.at(-1);
    if (last === undefined) return;
    if (run.length === 1) merged.push(last);
    else merged.push({ ...last, ...joined(run, last) });
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

function joined(run: readonly EventRow[], last: EventRow): Pick<EventRow, "body" | "data"> {
  const field = TEXT_OF[last.type] ?? "";
  const body = joinedTexts(run) ?? joinedFields(run, last, field);
  return { body, data: body.slice(0, -1) + last.data.slice(last.body.length - 1) };
}

const START = '{"text":"';
const END = '"}';

/** Texts are put together as JSON. Reading and writing each of them would cost more than all else that is done with it. */
function joinedTexts(run: readonly EventRow[]): string | null {
  let texts = "";
  for (const { body } of run) {
    if (!body.startsWith(START)) return null;
    texts += body.slice(START.length, -END.length);
  }
  return START + texts + END;
}

function joinedFields(run: readonly EventRow[], last: EventRow, field: string): string {
  const text = run.map(({ body }) => (JSON.parse(body) as Record<string, string>)[field]).join("");
  return oneLine({ ...(JSON.parse(last.body) as object), [field]: text });
}
