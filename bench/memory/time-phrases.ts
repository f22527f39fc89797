import { DAY } from "./calendar.ts";
import type { Times } from "./material.ts";
import type { Random } from "./random.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

/** Says when something was, in one of the wordings that fit the date and the distance to now without doubt. */
export function whenPhrase(
  { when, ...words }: Times,
  { at, now }: { readonly at: number; readonly now: number },
  random: Random,
): string | undefined {
  const distance = (now - at) / DAY;
  const fitting = when.filter((wording) => fits(wording, new Date(at), distance));
  return fitting.length === 0 ? undefined : wordsOf(random.pick(fitting), { date: new Date(at), distance, ...words });
}

/** The day something happened that was told of then, as the words "yesterday", "last night" and "gestern" say. */
export const happened = (text: string, at: number): number =>
  at - (/\b(yesterday|last night|gestern)\b/i.test(text) ? DAY : 0);

export const weeksBetween = (one: number, other: number, { numbers }: Pick<Times, "numbers">): string =>
  spelled(Math.round(Math.abs(one - other) / DAY / 7), numbers);

function fits(wording: string, date: Date, distance: number): boolean {
  if (wording.includes("{days}")) return distance >= 3 && distance <= 40;
  if (wording.includes("{weeks}")) return distance >= 13 && distance <= 80 && near(distance / 7, 2 / 7);
  if (wording.includes("{months}")) return distance >= 55 && distance <= 345 && near(distance / 30.4, 0.2);
  // A month that comes twice within the year up to now would be in doubt; so would a day, without the year.
  const inMonth = date.getUTCDate() >= 3 && date.getUTCDate() <= 28;
  return distance < 330 && (wording.includes("{day}") || inMonth);
}

const near = (value: number, tolerance: number): boolean => Math.abs(value - Math.round(value)) <= tolerance;

interface Said extends Pick<Times, "months" | "numbers"> {
  readonly date: Date;
  readonly distance: number;
}

function wordsOf(wording: string, { date, distance, months = MONTHS, numbers }: Said): string {
  const values: Record<string, string> = {
    month: months[date.getUTCMonth()] ?? "",
    day: String(date.getUTCDate()),
    year: String(date.getUTCFullYear()),
    days: String(Math.round(distance)),
    weeks: spelled(Math.round(distance / 7), numbers),
    months: spelled(Math.round(distance / 30.4), numbers),
  };
  return wording.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => values[name] ?? whole);
}

const spelled = (count: number, numbers: readonly string[] = NUMBERS): string => numbers[count] ?? String(count);
