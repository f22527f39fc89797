/** From `from` on, before `to`; milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

interface TimeInText {
  readonly range: TimeRange;
  /** The words of the time expression. */
  readonly words: string;
}

/**
 * The first time range that an English text names, seen from `now`; "between" and "from" join two. chrono-node gives
 * dates, not ranges: it reads no bare year, season or "2026-03", and takes "in March" and "on 3 May" for the next ones.
 */
export function timeInText(text: string, now: number): TimeInText | null {
  const low = text.toLowerCase();
  const found = spansIn(low, now);
  const [first, second] = found;
  if (first === undefined) return null;
  if (second !== undefined && /\b(?:between|from)\s+(?:the\s+)?$/.test(low.slice(0, first.at))) {
    const range = { from: Math.min(first.from, second.from), to: Math.max(first.to, second.to) };
    return { range, words: `${first.words} ${second.words}` };
  }
  return { range: withPreposition(low.slice(0, first.at), first, now), words: first.words };
}

/** Start and end of an ISO 8601 date or time; the end of a date is the next midnight. */
export const startOf = (text: string): number => Date.parse(text);
export const endOf = (text: string): number => Date.parse(text) + (text.includes("T") ? 0 : DAY);

/** Users also report an event on the day after. */
export const reportedWithin = ({ from, to }: TimeRange): TimeRange => ({
  from,
  to: to - from <= 2 * DAY ? to + DAY : to,
});

interface Span extends TimeRange {
  readonly at: number;
  readonly words: string;
}

/** Applies the preposition before a time, such as "before" or "since". */
function withPreposition(before: string, { from, to }: TimeRange, now: number): TimeRange {
  const word =
    /\b(before|until|till|prior to|earlier than|up to|by|after|since|from)\s+(?:(?:the|around|about)\s+)*$/.exec(
      before,
    )?.[1];
  switch (word) {
    case undefined:
      return { from, to };
    case "after":
      return { from: to, to: Math.max(now, to) };
    case "since":
    case "from":
      return { from, to: Math.max(now, to) };
    case "until":
    case "till":
    case "up to":
    case "by":
      return { from: 0, to };
    default:
      return { from: 0, to: from };
  }
}

type Reading = (found: RegExpExecArray, now: number) => TimeRange | null;

/** Earlier patterns win: later ones skip the text they matched. */
function spansIn(low: string, now: number): Span[] {
  const spans: Span[] = [];
  for (const [pattern, read] of READINGS) {
    for (const found of low.matchAll(pattern)) {
      const at = found.index;
      if (spans.some((span) => at < span.at + span.words.length && span.at < at + found[0].length)) continue;
      const range = read(found, now);
      if (range !== null) spans.push({ ...range, at, words: found[0] });
    }
  }
  return spans.sort((one, other) => one.at - other.at);
}

const DAY = 86_400_000;
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** 0 to 11; -1 where it is none. */
const monthIndex = (name = ""): number => MONTHS.indexOf(name.slice(0, 3));
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WEEKDAY = "(sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)day";
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
const COUNT = `(\\d{1,3}|an?|${NUMBERS.slice(1).join("|")}|(?:a )?couple(?: of)?|(?:a )?few|several)`;
const UNIT = "(day|week|month|year)s?";

const READINGS: readonly (readonly [RegExp, Reading])[] = [
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, ([, y, m, d]) => day(Number(y), Number(m) - 1, Number(d))],
  [/\b(\d{4})-(\d{2})\b/g, ([, y, m]) => months(Number(y), Number(m) - 1, 1)],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b\\.?(?:,? (\\d{4})\\b)?`, "g"),
    ([, d, m, y], now) => dayOf(m, d, y, now),
  ],
  [
    new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d)(?:,? (\\d{4})\\b)?`, "g"),
    ([, m, d, y], now) => dayOf(m, d, y, now),
  ],
  [
    new RegExp(
      `\\b(?:(early|late|mid)[- ]|(beginning|start|end|middle) of )?(?:(last|this) )?${MONTH}\\b\\.?(?:,? (?:of )?(\\d{4})\\b)?`,
      "g",
    ),
    monthNamed,
  ],
  [/\b(?:the )?day before yesterday\b/g, (_, now) => daysAgo(2, now)],
  [/\byesterday\b|\blast night\b/g, (_, now) => daysAgo(1, now)],
  [/\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b/g, (_, now) => daysAgo(0, now)],
  [new RegExp(`\\b(?:in |over |during |within )?the (?:last|past|previous) ${COUNT} ${UNIT}\\b`, "g"), lastFew],
  [new RegExp(`\\b(?:about |around |roughly |over |almost )?${COUNT} ${UNIT} (?:ago|back|earlier)\\b`, "g"), ago],
  [
    /\b(last|past|previous|this|current) (week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)\b/g,
    calendarUnit,
  ],
  [new RegExp(`\\b(?:(last|this|on) )?${WEEKDAY}(?: (last week))?\\b`, "g"), weekday],
  [/\b(?:in|during|since|before|after|until|of|by|back in) ((?:19|20)\d{2})\b/g, ([, y]) => months(Number(y), 0, 12)],
  [/\b(?:recently|lately)\b/g, (_, now) => ({ from: now - 30 * DAY, to: now + DAY })],
];

const midnight = (at: number): number => Math.floor(at / DAY) * DAY;
const days = (from: number, count: number): TimeRange => ({ from, to: from + count * DAY });
const daysAgo = (count: number, now: number): TimeRange => days(midnight(now) - count * DAY, 1);
const months = (year: number, month: number, count: number): TimeRange | null =>
  month < 0 || month > 11 || year < 1900 ? null : { from: Date.UTC(year, month), to: Date.UTC(year, month + count) };

function day(year: number, month: number, date: number): TimeRange | null {
  const from = Date.UTC(year, month, date);
  return new Date(from).getUTCDate() === date && new Date(from).getUTCMonth() === month ? days(from, 1) : null;
}

/** Without a year: the latest such day in the past. */
function dayOf(month: string | undefined, date: string | undefined, year: string | undefined, now: number) {
  const thisYear = new Date(now).getUTCFullYear();
  if (year !== undefined) return day(Number(year), monthIndex(month), Number(date));
  const found = day(thisYear, monthIndex(month), Number(date));
  return found === null || found.from <= now ? found : day(thisYear - 1, monthIndex(month), Number(date));
}

/** Null for "may" and "march" without a preposition, year or qualifier: they may be verbs. */
function monthNamed(found: RegExpExecArray, now: number): TimeRange | null {
  const [whole, part, edge, which, name, namedYear] = found;
  const isQualified = part ?? edge ?? which ?? namedYear;
  const followsPreposition =
    /\b(?:in|during|since|before|after|until|till|by|of|from|between|and|around|early|late|for)\s+$/.test(
      found.input.slice(0, found.index),
    );
  const isPlain = name !== undefined && !["may", "mar", "march", "jan", "sep", "dec"].includes(name);
  if (isQualified === undefined && !followsPreposition && !isPlain) return null;
  const month = monthIndex(name);
  const [thisYear, thisMonth] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  const year =
    namedYear === undefined
      ? month > thisMonth || (which === "last" && month === thisMonth)
        ? thisYear - 1
        : thisYear
      : Number(namedYear);
  const range = months(year, month, 1);
  if (range === null || whole === "") return null;
  switch (part ?? edge) {
    case "early":
    case "beginning":
    case "start":
      return { from: range.from, to: range.from + 11 * DAY };
    case "mid":
    case "middle":
      return { from: range.from + 9 * DAY, to: range.from + 21 * DAY };
    case "late":
    case "end":
      return { from: range.to - 11 * DAY, to: range.to };
    default:
      return range;
  }
}

const LENGTHS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30.4, year: 365 };
/** People count roughly: the longer ago, the more slack. */
const SLACK: Readonly<Record<string, number>> = { day: 1, week: 4, month: 16, year: 120 };

function count(words: string): { readonly least: number; readonly most: number } {
  if (/^\d/.test(words)) return { least: Number(words), most: Number(words) };
  if (/few|several/.test(words)) return { least: 2, most: 6 };
  if (words.includes("couple")) return { least: 2, most: 3 };
  const exact = Math.max(1, NUMBERS.indexOf(words));
  return { least: exact, most: exact };
}

function ago([, amount = "", unit = ""]: RegExpExecArray, now: number): TimeRange {
  const { least, most } = count(amount);
  const [length, slack] = [LENGTHS[unit] ?? 1, SLACK[unit] ?? 1];
  return {
    from: midnight(now - (most * length + slack) * DAY),
    to: midnight(now - (least * length - slack) * DAY) + DAY,
  };
}

function lastFew([, amount = "", unit = ""]: RegExpExecArray, now: number): TimeRange {
  return { from: midnight(now - count(amount).most * (LENGTHS[unit] ?? 1) * DAY), to: now + DAY };
}

function calendarUnit([, which = "", unit = ""]: RegExpExecArray, now: number): TimeRange | null {
  const isLast = which !== "this" && which !== "current";
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  const monday = midnight(now) - ((new Date(now).getUTCDay() + 6) % 7) * DAY;
  switch (unit) {
    case "week":
      return days(isLast ? monday - 7 * DAY : monday, 7);
    case "weekend":
      return days(monday - 2 * DAY, 2);
    case "month":
      return { from: Date.UTC(year, month - (isLast ? 1 : 0)), to: Date.UTC(year, month + (isLast ? 0 : 1)) };
    case "quarter": {
      const first = month - (month % 3) - (isLast ? 3 : 0);
      return { from: Date.UTC(year, first), to: Date.UTC(year, first + 3) };
    }
    case "year":
      return months(isLast ? year - 1 : year, 0, 12);
    default:
      return season(unit, isLast, now);
  }
}

/** The current season, or the last one. */
function season(name: string, isLast: boolean, now: number): TimeRange {
  const begins = SEASONS[name] ?? 0;
  const of = (year: number): TimeRange => ({ from: Date.UTC(year, begins), to: Date.UTC(year, begins + 3) });
  const thisYear = new Date(now).getUTCFullYear();
  const begun = [thisYear, thisYear - 1, thisYear - 2].map(of).filter(({ from, to }) => (isLast ? to : from) <= now);
  return begun[0] ?? of(thisYear - 1);
}

function weekday([, which, name = "", lastWeek]: RegExpExecArray, now: number): TimeRange {
  const wanted = WEEKDAYS.indexOf(name.slice(0, 3));
  const back = (new Date(now).getUTCDay() - wanted + 7) % 7;
  if (lastWeek !== undefined) return daysAgo(back + ((new Date(now).getUTCDay() + 6) % 7 < back ? 0 : 7), now);
  return daysAgo(back === 0 && which !== "this" ? 7 : back, now);
}
