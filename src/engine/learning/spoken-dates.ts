import { parse } from "chrono-node/en";

/** For the worst text of 1,000 characters chrono-node needs 3 ms; the time grows with the square of the length. */
const LONGEST_SENTENCE = 1000;
const DAY = 86_400_000;

/** The dates that sentences name in words ("next Tuesday", "in March"), seen from the time of the round. */
export class SpokenDates {
  readonly #at: number;
  readonly #known = new Map<string, ReadonlySet<string>>();

  constructor(at: number) {
    this.#at = at;
  }

  /** As `2026-03-04`, `2026-03` and `2026`, never more exact than the sentence. */
  of(sentence: string): ReadonlySet<string> {
    const known = this.#known.get(sentence);
    if (known !== undefined) return known;
    const found = parse(sentence.slice(0, LONGEST_SENTENCE), { instant: new Date(this.#at), timezone: 0 });
    const dates = new Set(found.flatMap(({ start, end }) => [...labels(start), ...(end ? labels(end) : [])]));
    this.#known.set(sentence, dates);
    return dates;
  }
}

type ParsedDate = ReturnType<typeof parse>[number]["start"];

/** "On Monday" and "in March" may mean the one before or the one after. */
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
