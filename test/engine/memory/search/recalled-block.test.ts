import t from "tap";
import { MemorySearch } from "../../../../src/engine/memory/search/search-memory.ts";
import { recalledBlock } from "../../../../src/engine/memory/search/recalled-block.ts";
import { type Told, learningBench } from "../../learning/learning-bench.ts";
import { fact } from "../../learning/scripted-model.ts";

const NOW = Date.parse("2026-11-22T09:00:00Z");

const home = (who: string, place: string, since: string | null = null) => [
  fact(`${who} lives in ${place}`, who, "lives in", place, { single: true, valid_from: since }),
];

async function recalled(t: Parameters<typeof learningBench>[0], query: string, ...told: readonly Told[]) {
  const bench = learningBench(t);
  bench.tell(...told);
  await bench.learning.trigger();
  const hits = await new MemorySearch(bench.store).search({ query, limit: 24, now: NOW, isRecall: true });
  const block = recalledBlock(hits, { items: 12, tokens: 4000, tokensOf: (text) => text.length / 4 });
  const lines = (block?.text ?? "").split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, string>);
}

t.test("items are ordered by when they were stated", async (t) => {
  const lines = await recalled(
    t,
    "Where does Anna live?",
    {
      question: "My sister Anna moved to Lyon in March.",
      at: "2026-11-20T09:00:00Z",
      facts: home("Anna", "Lyon", "2026-03-01"),
    },
    {
      question: "Anna moved to Marseille last week.",
      at: "2026-11-21T09:00:00Z",
      facts: home("Anna", "Marseille", "2026-11-09"),
    },
  );
  const says = lines.map(({ text = "" }) => (text.includes("Marseille") ? "Marseille" : "Lyon"));
  t.ok(says.includes("Marseille"));
  t.same(says, says.toSorted(), "Lyon before Marseille");
  t.match(lines.at(-1), {
    kind: "fact",
    text: "Anna lives in Marseille",
    date: "2026-11-21",
    valid_from: "2026-11-09",
  });
  t.ok(
    lines.every((line) => line["date"] === "2026-11-20" || line["date"] === "2026-11-21"),
    "a date is when it was said",
  );
});

t.test("a fact without a known start has no valid_from", async (t) => {
  const lines = await recalled(
    t,
    "Where do I live?",
    { question: "I live in Berlin.", at: "2026-11-20T09:00:00Z", facts: home("User", "Berlin") },
    {
      question: "Actually, I moved to Munich yesterday.",
      at: "2026-11-21T09:00:00Z",
      facts: home("User", "Munich", "2026-11-20"),
    },
  );
  t.match(lines.at(-1), { kind: "fact", text: "User lives in Munich", date: "2026-11-21", valid_from: "2026-11-20" });
  t.notOk(lines.some(({ kind, text }) => kind === "fact" && text === "User lives in Berlin"));
});

t.test("a closed fact has valid_to", async (t) => {
  const lines = await recalled(
    t,
    "Where did I live before?",
    { question: "I live in Berlin.", at: "2026-11-20T09:00:00Z", facts: home("User", "Berlin") },
    {
      question: "Actually, I moved to Munich yesterday.",
      at: "2026-11-21T09:00:00Z",
      facts: home("User", "Munich", "2026-11-20"),
    },
  );
  const berlin = lines.find(({ text }) => text === "User lives in Berlin");
  t.match(berlin, { date: "2026-11-20", valid_to: "2026-11-20" });
  t.notOk(berlin !== undefined && "valid_from" in berlin);
});
