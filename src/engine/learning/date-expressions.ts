import { parse } from "chrono-node/en";

/** chrono-node takes up to 3 ms for 1,000 characters, and quadratic time. */
const MAX_SENTENCE_LENGTH = 1000;
const DAY = 86_400_000;

/** Dates from expressions such as "next Tuesday" or "in March", relative to the time of the round. */
export class DateExpressions {
  readonly #at: number;
  readonly #known = new Map<string, ReadonlySet<string>>();

  constructor(at: number) {
    this.#at = at;
  }

  /** As `2026-03-04`, `2026-03` and `2026`, never more precise than the sentence. */
  of(sentence: string): ReadonlySet<string> {
    const known = this.#known.get(sentence);
    if (known !== undefined) return known;
    const found = parse(sentence.slice(0, MAX_SENTENCE_LENGTH), { instant: new Date(this.#at), timezone: 0 });
    const dates = new Set(found.flatMap(({ start, end }) => [...labels(start), ...(end ? labels(end) : [])]));
    this.#known.set(sentence, dates);
    return dates;
  }
}

type ParsedDate = ReturnType<typeof parse>[number]["start"];

/** "On Monday" and "in March" may mean the previous or the next one. */
function labels(date: ParsedDate): readonly string[] {
  const [year = 0, month = 1, day = 1] = (["year", "month", "day"] as const).map((part) => date.get(part) ?? undefined);
  const isDay = date.isCertain("day") || date.isCertain("weekday");
  const near = date.isCertain("year") ? [0] : [-1, 0, 1];
  return near.flatMap((step) => {
    const time = date.isCertain("weekday")
      ? Date.UTC(year, month - 1, day) + step * 7 * DAY
      : Date.UTC(year + step, month - 1, day);
    const iso = new Date(time).toISOString();
    const lengths = isDay ? [4, 7, 10] : date.isCertain("month") ? [4, 7] : [4];
    return lengths.map((length) => iso.slice(0, length));
  });
}
