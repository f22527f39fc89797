import t from "tap";
import type { KnownFact } from "../../../src/engine/memory/knowledge.ts";
import { TRUST, type Trust } from "../../../src/engine/memory/trust.ts";
import { resolveConflict } from "../../../src/engine/learning/resolve-conflict.ts";

const known = (id: string, object: string, validFrom: number | null, more: Partial<KnownFact> = {}): KnownFact => ({
  id,
  content: "",
  subject: "user",
  predicate: "lives in",
  object,
  hash: id,
  importance: 5,
  confidence: 1,
  source: "user",
  trust: TRUST.user,
  validFrom,
  statedAt: validFrom ?? 0,
  validTo: null,
  recordedFrom: 0,
  recordedTo: null,
  supersededBy: null,
  ...more,
});
const heard = (
  object: string,
  validFrom: number | null,
  more: { predicate?: string; single?: boolean; trust?: Trust; statedAt?: number; isCurrent?: boolean } = {},
) => ({
  predicate: "lives in",
  single: true,
  trust: TRUST.user,
  object,
  validFrom,
  statedAt: validFrom ?? 0,
  ...more,
});
const DAY = 86_400_000;

const CASES: readonly (readonly [string, ReturnType<typeof heard>, readonly KnownFact[], string[], string | null])[] = [
  ["another home takes the place of the one before", heard("Lyon", 20), [known("paris", "Paris", 10)], ["paris"], null],
  ["the same home closes nothing", heard("paris.", 20), [known("paris", "Paris", 10)], [], null],
  [
    "a move from before the telling ends what was said to be so, when that was said first",
    heard("Lyon", 20, { statedAt: 40 }),
    [known("paris", "Paris", null, { statedAt: 30 })],
    ["paris"],
    null,
  ],
  [
    "a move of years ago does not",
    heard("Lyon", -2000 * DAY, { statedAt: 40 }),
    [known("paris", "Paris", null, { statedAt: 30 })],
    [],
    "paris",
  ],
  [
    "unless it is said to put that right",
    heard("Lyon", -2000 * DAY, { statedAt: 40, isCurrent: true }),
    [known("paris", "Paris", null, { statedAt: 30 })],
    ["paris"],
    null,
  ],
  [
    "what is said to be so ends what was said to be so",
    heard("Lyon", null, { statedAt: 40 }),
    [known("paris", "Paris", null, { statedAt: 30 }), known("rome", "Rome", 10, { statedAt: 20 })],
    ["paris", "rome"],
    null,
  ],
  [
    "not what was said later, though it is learnt later",
    heard("Lyon", null, { statedAt: 20 }),
    [known("paris", "Paris", null, { statedAt: 30 })],
    [],
    "paris",
  ],
  [
    "a move that was told first ends what was said to be so before it, though that is learnt later",
    heard("Lyon", null, { statedAt: 20 }),
    [known("paris", "Paris", 10, { statedAt: 30 })],
    [],
    "paris",
  ],
  [
    "what may be several things at once stands beside",
    heard("Lyon", 20, { single: false }),
    [known("paris", "Paris", 10)],
    [],
    null,
  ],
  ["what is heard late is closed by what came after it", heard("Paris", 10), [known("lyon", "Lyon", 20)], [], "lyon"],
  [
    "and closes what was before",
    heard("Rome", 15),
    [known("paris", "Paris", 10, { trust: TRUST.user }), known("lyon", "Lyon", 20)],
    ["paris"],
    "lyon",
  ],
  [
    "the first that came after it",
    heard("Paris", 10),
    [known("lyon", "Lyon", 30), known("rome", "Rome", 20)],
    [],
    "rome",
  ],
  [
    "what is less to be relied on closes nothing",
    heard("Lyon", 20, { trust: TRUST.external }),
    [known("paris", "Paris", 10)],
    [],
    null,
  ],
  [
    "and is itself closed by more, later",
    heard("Lyon", 5, { trust: TRUST.external }),
    [known("paris", "Paris", 10)],
    [],
    "paris",
  ],
  [
    "less does not close more that was heard late",
    heard("Paris", 10),
    [known("lyon", "Lyon", 20, { trust: TRUST.external })],
    [],
    null,
  ],
  [
    "that it is no longer so closes that it is",
    heard("Paris", 20, { predicate: "not lives in", single: false }),
    [known("paris", "Paris", 10)],
    ["paris"],
    null,
  ],
  [
    "but not that something else is",
    heard("Rome", 20, { predicate: "not lives in", single: false }),
    [known("paris", "Paris", 10)],
    [],
    null,
  ],
  [
    "a liking ends a dislike",
    heard("tea", 20, { predicate: "likes", single: false }),
    [known("tea", "tea", 10, { predicate: "dislikes" })],
    ["tea"],
    null,
  ],
  [
    "another number is another thing",
    heard("48", 20, { predicate: "age" }),
    [known("47", "47", 10, { predicate: "age" })],
    ["47"],
    null,
  ],
];

for (const [title, fact, others, closes, closedBy] of CASES) {
  t.test(title, async (t) => {
    const placing = resolveConflict(fact, others);
    t.same(
      placing.closes.map(({ id }) => id),
      closes,
    );
    t.equal(placing.closedBy?.id ?? null, closedBy);
  });
}
