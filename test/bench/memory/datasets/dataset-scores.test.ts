import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import t from "tap";
import { ask } from "../../../../bench/memory/ask.ts";
import { DATASETS, FORMATS } from "../../../../bench/memory/datasets/datasets.ts";
import type { History } from "../../../../bench/memory/history.ts";
import { summarize } from "../../../../bench/memory/summary.ts";
import type { Hit, SystemKind } from "../../../../bench/memory/system.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const FIXTURES = join(ROOT, "test/fixtures/datasets");
const PATHS = { longmemeval: "longmemeval.json", locomo: "locomo.json", beam: "beam" } as const;

const ranker = (hitsFor: (query: string) => readonly Hit[]): SystemKind => ({
  name: "fake",
  open: () =>
    Promise.resolve({
      load: () => Promise.resolve(),
      search: ({ query }) => Promise.resolve({ hits: hitsFor(query) }),
      close: () => Promise.resolve(),
    }),
});

/** Knows the evidence of every question. A whole session is found by its first round. */
const perfect = ({ questions }: History): SystemKind =>
  ranker((query) => {
    const rounds = questions.find(({ text }) => text === query)?.evidence.map(({ round }) => round) ?? [];
    return rounds.map((round) => ({ of: [round.includes("/") ? round : `${round}/1`], text: "" }));
  });

/** Returns what no history has. */
const blind = (): SystemKind => ranker(() => [{ of: ["nowhere/1"], text: "" }]);

async function rowsOf(format: keyof typeof DATASETS, kindFor: (history: History) => SystemKind) {
  const outcomes = [];
  for (const history of DATASETS[format](join(FIXTURES, PATHS[format])).histories)
    outcomes.push(...(await ask(kindFor(history), history)));
  return summarize("fake", outcomes).rows;
}

for (const format of FORMATS) {
  t.test(`${format}: a perfect ranker finds everything and abstains`, async (t) => {
    const rows = await rowsOf(format, perfect);
    const { at5, anyAt5, allAt5, mrr, roundsAt5, allRoundsAt5, abstained } = rows[0] ?? {};
    t.same([at5, anyAt5, allAt5, mrr, roundsAt5, allRoundsAt5, abstained], [1, 1, 1, 1, 1, 1, 0]);
    t.equal(rows.find(({ of }) => of === "abstention")?.abstained, 1);
  });

  t.test(`${format}: a blind ranker finds nothing and never abstains`, async (t) => {
    const rows = await rowsOf(format, blind);
    const { at5, at10, anyAt5, mrr, roundsAt10 } = rows[0] ?? {};
    t.same([at5, at10, anyAt5, mrr, roundsAt10], [0, 0, 0, 0, 0]);
    t.equal(rows.find(({ of }) => of === "abstention")?.abstained, 0);
  });
}

t.test("questions without an answer are not in the overall row, and each type has a row of its own", async (t) => {
  const rows = await rowsOf("locomo", perfect);
  t.equal(rows[0]?.questions, 3);
  t.same(
    rows.flatMap(({ of, questions }) => (of.startsWith("…") ? [`${of} ${questions}`] : [])),
    ["… single-hop 1", "… multi-hop 1", "… temporal 1", "… adversarial 1"],
  );
});

const bench = (...args: readonly string[]) =>
  spawnSync(process.execPath, ["bench/memory/run.ts", ...args], { cwd: ROOT, encoding: "utf8" });

t.test("the command reads a dataset, with the memory of the engine and a baseline", async (t) => {
  const { status, stdout } = bench(
    "--locomo",
    join(FIXTURES, "locomo.json"),
    "--system",
    "orchd,fts5-rounds",
    "--json",
  );
  t.equal(status, 0);
  const { dataset, questions, leftOut, systems } = JSON.parse(stdout);
  t.same({ dataset, questions, leftOut }, { dataset: "locomo", questions: 4, leftOut: 1 });
  t.same(
    systems.map(({ system, rows }: ReturnType<typeof summarize>) => [system, rows[0]?.at10]),
    [
      ["orchd", 1],
      ["fts5-rounds", 1],
    ],
  );
});

t.test("the command names the place in a malformed file, and refuses two sources", async (t) => {
  const broken = bench("--longmemeval", join(FIXTURES, "locomo.json"));
  t.equal(broken.status, 1);
  t.match(broken.stderr, /locomo\.json: instances\.0\.question_id: required/);
  t.match(bench("--locomo", "a", "--beam", "b").stderr, /^choose one of --everyday, --german, --longmemeval/);
});
