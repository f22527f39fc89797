import t from "tap";
import { startEngine } from "../../../helpers/engine.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const TASKS = 200;

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

t.test("200 tasks write during exports: no turn fails, and each file is one ordered snapshot", async (t) => {
  const engine = await startEngine(t, { dataDir: freshFolder(t) });
  const told = Array.from({ length: TASKS }, async (_, n) => {
    const script = `/tool memory_note {"content":"note of ${n}"}\n/stream 20\n/say done ${n}`;
    return (await engine.execute({ task_id: `task-${n}`, message: script })).all(120_000);
  });
  const over = new AbortController();
  const exports: Line[][] = [];
  const exporting = (async () => {
    while (!over.signal.aborted) {
      const response = await fetch(`${engine.url}/memory/export`, { headers: { "x-engine-key": engine.key } });
      exports.push(
        (await response.text())
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as Line),
      );
    }
  })();
  const turns = await Promise.all(told);
  over.abort();
  await exporting;
  for (const frames of turns) {
    t.match(frames.at(-1), { event: "thread_lifecycle", data: { phase: "completed" } });
    const seqs = frames.map(({ data }) => data.seq as number);
    t.same(
      seqs,
      seqs.toSorted((left, right) => left - right),
    );
  }
  for (const lines of exports) {
    t.equal(lines.at(-1)?.type, "end");
    const ended = lines.filter(({ type, state }) => type === "turn" && state === "completed").map(({ id }) => id);
    const of = (type: string) => lines.filter((line) => line.type === type).map((line) => line["turn_id"]);
    t.same(
      new Set(of("trajectory")),
      new Set(ended),
      "a turn's end is in it with all that belongs to it, or not at all",
    );
  }
  t.equal(exports.at(-1)?.filter(({ type }) => type === "turn").length, TASKS);
  t.notMatch(engine.output(), /SQLITE_BUSY|database is locked|cannot be stored/);
});
