import type { UsageEntry } from "@orchd/client";

/** What one plan, model or product has used on each day. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** Those that have used most are drawn apart, and the rest together: more colours are not told apart. */
const MOST = 5;
export const REST = "others";

interface Grouping {
  readonly days: readonly string[];
  readonly nameOf: (entry: UsageEntry) => string;
  /** What decides which are drawn apart, and in which order: the same in charts of other values. */
  readonly rankOf: (entry: UsageEntry) => number;
}

/** The usage by day and name as series of the days, the most first. */
export function dailySeries(
  entries: readonly UsageEntry[],
  { days, nameOf, rankOf }: Grouping,
  valueOf: (entry: UsageEntry) => number,
): readonly Series[] {
  const ranks = new Map<string, number>();
  for (const entry of entries) ranks.set(nameOf(entry), (ranks.get(nameOf(entry)) ?? 0) + rankOf(entry));
  const names = [...ranks.keys()].toSorted((left, right) => (ranks.get(right) ?? 0) - (ranks.get(left) ?? 0));
  const apart = names.length > MOST + 1 ? names.slice(0, MOST) : names;
  const shown = names.length > apart.length ? [...apart, REST] : apart;
  const values = new Map(shown.map((name) => [name, days.map(() => 0)]));
  const indexes = new Map(days.map((day, index) => [day, index]));
  for (const entry of entries) {
    const of = values.get(apart.includes(nameOf(entry)) ? nameOf(entry) : REST);
    const index = indexes.get(entry.day ?? "");
    if (of !== undefined && index !== undefined) of[index] = (of[index] ?? 0) + valueOf(entry);
  }
  return [...values].map(([name, of]) => ({ name, values: of }));
}
