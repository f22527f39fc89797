import t from "tap";
import type { Round } from "../../../src/engine/memory/rounds-to-learn.ts";
import { TRUST } from "../../../src/engine/memory/trust.ts";
import { extractByRules } from "../../../src/engine/upkeep/rules/extract-by-rules.ts";

const AT = Date.parse("2026-03-04T10:00:00Z");

function round(question: string, more: Partial<Round> = {}): Round {
  const ids = { taskId: "t", turnId: "turn_1", trust: TRUST.model };
  const usage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
  return {
    trajectory: {
      ...ids,
      number: 1,
      id: "tr",
      outcome: "completed",
      errorCode: null,
      steps: [],
      usage,
      durationMs: 1,
      createdAt: AT,
    },
    episode: {
      ...ids,
      id: "ep",
      key: "",
      description: "",
      question,
      answer: "",
      importance: 3,
      source: "conversation",
      eventTime: AT,
      createdAt: AT,
    },
    notes: [],
    asked: [],
    contextTrust: TRUST.model,
    recalled: "",
    ...more,
  };
}
const facts = (question: string, more: Partial<Round> = {}) =>
  extractByRules(round(question, more)).facts.map(({ content }) => content);

const SAID: readonly (readonly [string, ...string[]])[] = [
  ["I live in Paris with my wife.", "User lives in Paris"],
  ["I moved to Lyon last month, so I need a dentist.", "User lives in Lyon"],
  ["i'm 34 years old and i'm a software engineer.", "User's age is 34", "User is a software engineer"],
  ["My dog's vet is now Dr. Keller.", "User's dog's vet is Dr. Keller"],
  [
    "My sister Anna lives in Oslo and she works at Equinor.",
    "User's sister is Anna",
    "Anna lives in Oslo",
    "Anna works at Equinor",
  ],
  ["Tom is my brother. He moved to Denver in January.", "User's brother is Tom", "Tom lives in Denver"],
  ["Anna's birthday is March 14.", "Anna's birthday is March 14"],
  ["I'm allergic to peanuts and shellfish.", "User is allergic to peanuts and shellfish"],
  ["I work as a nurse at St. Mary's Hospital.", "User works as nurse", "User works at St. Mary's Hospital"],
  ["I live in Berlin and work as a nurse.", "User lives in Berlin", "User works as nurse"],
  [
    "My sister Anna lives in Oslo and works at Equinor and has two kids.",
    "User's sister is Anna",
    "Anna lives in Oslo",
    "Anna works at Equinor",
    "Anna's number of kids is two",
  ],
  ["I love work and play.", "User likes work and play"],
  ["I no longer work at Initech.", "User no longer works at Initech"],
  ["I don't eat meat anymore.", "User no longer eats meat"],
  ["I prefer short answers.", "User prefers short answers"],
  ["I can't stand cilantro.", "User dislikes cilantro"],
  ["My favorite color is teal.", "User's favorite color is teal"],
  ["We decided to use PostgreSQL for billing.", "User decided: use PostgreSQL for billing"],
  [
    "I have a dentist appointment next Tuesday at 3pm.",
    "User has a dentist appointment next Tuesday at 3pm (2026-03-10)",
  ],
  ["My appointment with Dr. Keller was moved to March 12.", "User's appointment with dr. keller is March 12"],
  ["I bought a Trek bike for $450 two weeks ago.", "User bought a Trek bike for $450 (2026-02-18)"],
  ["I visited Rome in May 2025.", "User visited Rome (2025-05)"],
  ["I've read 5 books so far this year.", "User's number of books read is 5"],
  ["I have two kids and three cats.", "User's number of kids is two", "User's number of cats is three"],
  ["My flight to Rome leaves at 9:40 on Friday.", "User's flight to Rome leaves 9:40 on Friday (2026-03-06)"],
  ["I'm going to visit Japan in October.", "User plans to visit Japan in October (2026-10)"],
  ["From now on, always answer in metric units.", "User wants: From now on, always answer in metric units"],
  ["Remember that the spare key is under the blue pot.", "User asked to remember: the spare key is under the blue pot"],
  ["Since I live in Ghent, where can I buy bread?", "User lives in Ghent"],
  ["I moved to Hamburg in October 2026.", "User lives in Hamburg"],
  ["I moved to Lyon in March 2025.", "User lives in Lyon"],
  ["I live in Lyon since March 2025.", "User lives in Lyon"],
  ["My friend Tom lives in Paris in May.", "User's friend is Tom", "Tom lives in Paris"],
  ["My boss Karl is leaving next week.", "User's boss is Karl"],
  ["My new boss is Eva since Monday.", "User's boss is Eva"],
  ["My vet is Dr. Keller since last year.", "User's vet is Dr. Keller"],
  ["My sister's name is Anna-Lena.", "User's sister is Anna-Lena"],
  ["I have two kids, Ben and Mia.", "User's kid is Ben", "User's kid is Mia", "User's number of kids is two"],
  [
    "We've got three cats, Tom, Kit and Bo Peep.",
    "User's cat is Tom",
    "User's cat is Kit",
    "User's cat is Bo Peep",
    "User's number of cats is three",
  ],
  ["My name is Maria Lopez, but call me Mia.", "User's name is Maria Lopez", "User wants to be called Mia"],
];

for (const [said, ...expected] of SAID) t.test(said, async (t) => t.same(facts(said), expected));

const NOTHING: readonly string[] = [
  "Where do I live?",
  "If I lived in Tokyo, I would eat sushi daily.",
  "Can you translate this: I live in Berlin and I hate cats.",
  'Write: "I live in a castle and my name is Ella, the queen."',
  "> I live in Rome\n> and I work at ACME",
  "```\nconst me = 1; // I live in Bern\n```",
  "I got an error when I run the tests.",
  "My code is not working.",
  "I'd like to know how to cook rice.",
  "I love this answer!",
  "I read the docs but I'm confused.",
  "I might go to Rome.",
  "My friend said his cat is Milo.",
  "My sister told me that her name is Eva.",
  "Anna-Lena's name is Anna-Lena.",
];
for (const said of NOTHING) t.test(`nothing is known from: ${said}`, async (t) => t.same(facts(said), []));

t.test(
  "what the agent noted of the user is a note's fact, and what the user answered in between is theirs",
  async (t) => {
    const { facts } = extractByRules(
      round("Help me book.", {
        notes: ["The user prefers aisle seats.", "Step 2 is done."],
        asked: [{ question: "Where do you live?", answer: "I live in Ghent." }],
      }),
    );
    t.same(
      facts.map(({ content, saidBy }) => [content, saidBy]),
      [
        ["User lives in Ghent", "user"],
        ["User prefers aisle seats", "note"],
      ],
    );
  },
);

t.test("a month in which something is so is no part of a place, and no beginning of what is so already", async (t) => {
  const [of] = extractByRules(round("I moved to Hamburg in October 2025.")).facts;
  t.match(of, { object: "Hamburg", validFrom: Date.parse("2025-10-01") });
  t.same(
    extractByRules(round("I moved to Hamburg in October 2025.")).people.map(({ name }) => name),
    ["Hamburg"],
  );
  const [, then] = extractByRules(round("My friend Tom lives in Paris in May.")).facts;
  t.match(then, { object: "Paris", validFrom: null });
});

t.test("since a weekday is since one that was", async (t) => {
  const since = (question: string) => extractByRules(round(question)).facts.at(-1)?.validFrom;
  t.equal(since("My vet is Dr. Keller since Monday."), Date.parse("2026-03-02"));
  t.equal(since("I live in Ghent since June."), Date.parse("2025-06-01"));
});

t.test("however a word is spelt, it is the same thing that is said", async (t) => {
  const predicates = ["My favourite colour is red.", "My favorite color is blue."].flatMap((said) =>
    extractByRules(round(said)).facts.map(({ predicate, single }) => [predicate, single]),
  );
  t.same(predicates, [
    ["favorite color", true],
    ["favorite color", true],
  ]);
});
