import t from "tap";
import { timeInText } from "../../../../src/engine/memory/search/time-range.ts";

/** A Saturday. */
const NOW = Date.parse("2026-11-21T09:30:00Z");
const range = (text: string): string | null => {
  const found = timeInText(text, NOW);
  if (found === null) return null;
  const day = (time: number) =>
    time === 0 ? "ever" : time === NOW ? "now" : new Date(time).toISOString().slice(0, 10);
  return `${day(found.range.from)}/${day(found.range.to)}`;
};

t.test("dates and months are parsed as written", async (t) => {
  const read = {
    "on 2026-03-05": "2026-03-05/2026-03-06",
    "in 2026-03": "2026-03-01/2026-04-01",
    "on 3 May": "2026-05-03/2026-05-04",
    "on May 3rd, 2025": "2025-05-03/2025-05-04",
    "on the 24th of December": "2025-12-24/2025-12-25",
    "in March": "2026-03-01/2026-04-01",
    "last March": "2026-03-01/2026-04-01",
    "in December": "2025-12-01/2026-01-01",
    "in May 2024": "2024-05-01/2024-06-01",
    "early March": "2026-03-01/2026-03-12",
    "late in 2019": "2019-01-01/2020-01-01",
    "in 2024": "2024-01-01/2025-01-01",
  };
  for (const [text, wanted] of Object.entries(read)) t.equal(range(`What was it ${text}?`), wanted, text);
});

t.test("relative times count back from now", async (t) => {
  const read = {
    today: "2026-11-21/2026-11-22",
    yesterday: "2026-11-20/2026-11-21",
    "the day before yesterday": "2026-11-19/2026-11-20",
    "last week": "2026-11-09/2026-11-16",
    "this week": "2026-11-16/2026-11-23",
    "last month": "2026-10-01/2026-11-01",
    "this year": "2026-01-01/2027-01-01",
    "last year": "2025-01-01/2026-01-01",
    "last summer": "2026-06-01/2026-09-01",
    "on Monday": "2026-11-16/2026-11-17",
    "last Saturday": "2026-11-14/2026-11-15",
    "two weeks ago": "2026-11-03/2026-11-12",
    "3 days ago": "2026-11-17/2026-11-20",
    "a couple of months ago": "2026-08-06/2026-10-08",
    "in the last ten days": "2026-11-11/2026-11-22",
  };
  for (const [text, wanted] of Object.entries(read)) t.equal(range(`What did I do ${text}?`), wanted, text);
});

t.test("before, since and between set the bounds", async (t) => {
  t.equal(range("Where did I live before June?"), "ever/2026-06-01");
  t.equal(range("What have I bought since March?"), "2026-03-01/now");
  t.equal(range("What came after 3 May 2026?"), "2026-05-04/now");
  t.equal(range("Who came between March and May?"), "2026-03-01/2026-06-01");
});

t.test("text that only resembles a time is ignored", async (t) => {
  for (const text of ["May I come in?", "They march on.", "version 2.10", "on 2026-13-45", "", "Mona"])
    t.equal(range(text), null, text);
});
