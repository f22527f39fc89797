import { NUMBER_WORDS, monthIndex } from "../../memory/calendar-words.ts";

/** A time that a statement names, seen from when it was made. */
export interface When {
  /** Milliseconds since the epoch; its first moment. */
  readonly from: number;
  /** As exact as it was said: `2026-03-04`, `2026-03` or `2026`. */
  readonly label: string;
  /** The words that say it. */
  readonly words: string;
}

const DAY = 86_400_000;
const MONTH =
  "(?<month>January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\b\\.?";
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const COUNT = `(?<count>\\d{1,3}|an?|a couple of|${NUMBER_WORDS.slice(1).join("|")})`;
const UNIT = "(?<unit>day|week|month|year)s?";
const LEAD =
  "(?:\\b(?:on|in|at|since|from|by|for|during|around|about|back in|starting|as of|this past)\\s+)?(?:the\\s+)?";

type Parts = Readonly<Record<string, string | undefined>>;
type Reading = (parts: Parts, spoken: Spoken) => Omit<When, "words"> | null;

interface Spoken {
  readonly at: number;
  /** Whether the statement is of what was, where the words leave it open. */
  readonly past: boolean;
}

const pattern = (source: string): RegExp => new RegExp(`${LEAD}${source}`, "i");

const READINGS: readonly (readonly [RegExp, Reading])[] = [
  [
    pattern("\\b(?<year>\\d{4})-(?<number>\\d{2})-(?<date>\\d{2})\\b"),
    (p) => day(num(p["year"]), num(p["number"]) - 1, num(p["date"])),
  ],
  [pattern(`\\b${MONTH} (?<date>\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d|:|%)(?:,? (?<year>\\d{4})\\b)?`), namedDay],
  [pattern(`\\b(?<date>\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? (?<year>\\d{4})\\b)?`), namedDay],
  [pattern(`\\b(?<which>last |next |this )?${MONTH}(?:,? (?:of )?(?<year>\\d{4})\\b)`), namedMonth],
  [
    new RegExp(
      `\\b(?:in|since|during|from|by|until|back in|for|of|last|next|this|(?:early|mid|late)[ -])\\s*(?<which>last |next |this )?${MONTH}(?! \\d)`,
      "i",
    ),
    namedMonth,
  ],
  [/\b(?:the )?day before yesterday\b/i, (_, { at }) => dayLabel(at - 2 * DAY)],
  [/\b(?:yesterday(?: (?:morning|afternoon|evening|night))?|last night)\b/i, (_, { at }) => dayLabel(at - DAY)],
  [/\b(?:the )?day after tomorrow\b/i, (_, { at }) => dayLabel(at + 2 * DAY)],
  [/\btomorrow(?: (?:morning|afternoon|evening|night))?\b/i, (_, { at }) => dayLabel(at + DAY)],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening)|earlier today)\b/i, (_, { at }) => dayLabel(at)],
  [
    new RegExp(`\\b(?:about |around |roughly |over |almost |exactly )?${COUNT} ${UNIT} ago\\b`, "i"),
    (p, { at }) => shifted(p, at, -1),
  ],
  [
    new RegExp(`\\bin (?:about |around )?${COUNT} ${UNIT}(?:'?s? time)?\\b`, "i"),
    (p, { at, past }) => (past ? null : shifted(p, at, 1)),
  ],
  [
    /\b(?:earlier )?(?<which>last|next|this|this past) (?<unit>week|weekend|month|year|spring|summer|autumn|fall|winter)\b/i,
    calendarUnit,
  ],
  [
    pattern(
      `\\b(?<which>last |next |this |this coming |this past )?(?<weekday>${WEEKDAYS.join("|")})\\b(?! nights?\\b)`,
    ),
    weekday,
  ],
  [/\b(?:in|since|during|back in|until|by|of) (?<year>(?:19|20)\d{2})\b/i, (p) => yearLabel(num(p["year"]))],
];

/** The first time that a text names; null where it names none. */
export function findWhen(text: string, spoken: Spoken): When | null {
  for (const [expression, read] of READINGS) {
    const found = expression.exec(text);
    if (found === null) continue;
    const time = read(found.groups ?? {}, spoken);
    if (time !== null) return { ...time, words: found[0] };
  }
  return null;
}

const num = (text: string | undefined): number => Number(text ?? Number.NaN);
const midnight = (at: number): number => Math.floor(at / DAY) * DAY;
const iso = (at: number, length: number): string => new Date(at).toISOString().slice(0, length);
const dayLabel = (at: number): Omit<When, "words"> => ({ from: midnight(at), label: iso(at, 10) });
const monthLabel = (year: number, month: number): Omit<When, "words"> => {
  const from = Date.UTC(year, month);
  return { from, label: iso(from, 7) };
};
const yearLabel = (year: number): Omit<When, "words"> => ({ from: Date.UTC(year, 0), label: String(year) });

function day(year: number, month: number, date: number): Omit<When, "words"> | null {
  const at = Date.UTC(year, month, date);
  return Number.isNaN(at) || new Date(at).getUTCDate() !== date ? null : dayLabel(at);
}

/** Of the years around, the one that fits: the last that was, or the next that will be. */
function namedDay(parts: Parts, { at, past }: Spoken): Omit<When, "words"> | null {
  const [month, date] = [monthIndex(parts["month"]), num(parts["date"])];
  if (parts["year"] !== undefined) return day(num(parts["year"]), month, date);
  const year = new Date(at).getUTCFullYear();
  const found = day(year, month, date);
  if (found === null) return null;
  if (past) return found.from > at ? day(year - 1, month, date) : found;
  return found.from < midnight(at) ? day(year + 1, month, date) : found;
}

function namedMonth(parts: Parts, { at, past }: Spoken): Omit<When, "words"> {
  const month = monthIndex(parts["month"]);
  if (parts["year"] !== undefined) return monthLabel(num(parts["year"]), month);
  const [year, now] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()];
  const which = (parts["which"] ?? "").trim().toLowerCase();
  if (which === "last" || (past && which === ""))
    return monthLabel(month > now || (which === "last" && month === now) ? year - 1 : year, month);
  if (which === "this") return monthLabel(year, month);
  return monthLabel(month < now || (which === "next" && month === now) ? year + 1 : year, month);
}

function shifted(parts: Parts, at: number, direction: 1 | -1): Omit<When, "words"> {
  const said = (parts["count"] ?? "").toLowerCase();
  const count = said === "a couple of" ? 2 : /^\d/.test(said) ? Number(said) : Math.max(1, NUMBER_WORDS.indexOf(said));
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (parts["unit"]?.toLowerCase()) {
    case "year":
      return yearLabel(year + direction * count);
    case "month":
      return monthLabel(year, month + direction * count);
    case "week":
      return dayLabel(at + direction * count * 7 * DAY);
    default:
      return dayLabel(at + direction * count * DAY);
  }
}

const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };

function calendarUnit(parts: Parts, { at }: Spoken): Omit<When, "words"> {
  const which = (parts["which"] ?? "").toLowerCase();
  const step = which === "next" ? 1 : which === "last" ? -1 : 0;
  const [year, month] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()];
  const monday = midnight(at) - ((new Date(at).getUTCDay() + 6) % 7) * DAY;
  const unit = (parts["unit"] ?? "").toLowerCase();
  switch (unit) {
    case "week":
      return dayLabel(monday + step * 7 * DAY);
    case "weekend":
      return dayLabel(monday + (step === -1 || which === "this past" ? -2 : step === 1 ? 12 : 5) * DAY);
    case "month":
      return monthLabel(year, month + step);
    case "year":
      return yearLabel(year + step);
    default: {
      const begins = SEASONS[unit] ?? 0;
      const hasBegun = month >= begins;
      return monthLabel(
        step === -1 ? (hasBegun && month > begins + 2 ? year : year - 1) : step === 1 && hasBegun ? year + 1 : year,
        begins,
      );
    }
  }
}

function weekday(parts: Parts, { at, past }: Spoken): Omit<When, "words"> {
  const wanted = WEEKDAYS.indexOf((parts["weekday"] ?? "").toLowerCase());
  const which = (parts["which"] ?? "").trim().toLowerCase();
  const ahead = (wanted - new Date(at).getUTCDay() + 7) % 7;
  const isBack = which === "last" || which === "this past" || (past && which === "");
  if (isBack) return dayLabel(at - ((7 - ahead) % 7 || 7) * DAY);
  return dayLabel(at + (which === "next" ? ahead || 7 : ahead) * DAY);
}
