import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FullTextIndex } from "../../src/engine/memory/search/memory-index.ts";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { EventTable } from "../../src/engine/store/events.ts";
import { openStore } from "../../src/engine/store/open-store.ts";
import { EventJournal } from "../../src/engine/turns/event-journal.ts";
import { median, percentile } from "../measure.ts";
import { type Row, loneRow } from "../report.ts";

const TURNS = 50;
const WORD_EVERY_MS = 20;
const NOTES = 1000;
const NOTE_EVERY_MS = 5;

/** How long a note takes to be stored and indexed, as a tool does it, while the words of fifty turns are stored too. */
export async function memoryWrites(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "orchd-bench-writes-"));
  const store = openStore(folder);
  const journal = new EventJournal(new EventTable(store));
  const memory = new MemoryWriter(store, new FullTextIndex(store));
  const words = setInterval(() => {
    for (let turn = 0; turn < TURNS; turn++)
      journal.append(`task-${turn}`, `turn-${turn}`, { event: "text_delta", data: { text: "word " } });
  }, WORD_EVERY_MS);
  const took: number[] = [];
  try {
    for (let number = 0; number < NOTES; number++) {
      const place = { taskId: `task-${number % TURNS}`, turnId: `turn-${number % TURNS}` };
      const content = `The ${number}th thing to be kept in mind: box ${number * 7919} stands in room ${number % 97}.`;
      const began = performance.now();
      journal.commit(() => memory.note({ ...place, entryType: "note", content, createdAt: Date.now() }));
      took.push(performance.now() - began);
      await sleep(NOTE_EVERY_MS);
    }
  } finally {
    clearInterval(words);
    journal.flush();
    store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return [
    loneRow(`a note written among ${TURNS} turns, median`, { value: median(took), unit: "ms", aim: "≤ 1 ms" }),
    loneRow("… 95 of 100 within", { value: percentile(took, 0.95), unit: "ms", aim: "–" }),
  ];
}
