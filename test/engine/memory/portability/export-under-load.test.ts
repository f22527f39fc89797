import t from "tap";
import { startEngine } from "../../../helpers/engine.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const TASKS = 200;

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

t.test(
  "two hundred tasks write while everything is exported: no turn fails, each file is one state, in order",
  async (t) => {
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
    const ends = turns.map((frames) => frames.at(-1)).filter((end) => end?.data.phase !== "completed");
    t.same(ends, [], "every turn completes");
    const unordered = turns.filter((frames) =>
      frames.some(({ data }, index) => index > 0 && data.seq < frames[index - 1]?.data.seq),
    );
    t.same(unordered, [], "every stream is in order");
    t.same(
      exports.filter((lines) => lines.at(-1)?.type !== "end"),
      [],
      "every export is complete",
    );
    const torn = exports.filter((lines) => {
      const ended = lines.filter(({ type, state }) => type === "turn" && state === "completed").map(({ id }) => id);
      const trajectories = lines.filter(({ type }) => type === "trajectory").map((line) => line["turn_id"]);
      const [of, having] = [new Set(ended), new Set(trajectories)];
      return of.size !== having.size || ended.some((id) => !having.has(id));
    });
    t.same(torn, [], "a turn's end is in it with all that belongs to it, or not at all");
    t.equal(exports.at(-1)?.filter(({ type }) => type === "turn").length, TASKS);
    t.notMatch(engine.output(), /SQLITE_BUSY|database is locked|cannot be stored/);
  },
);
