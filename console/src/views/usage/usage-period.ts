const DAY_MS = 86_400_000;

/** The periods that the view offers. Days are UTC, as the daemon counts them. */
export const PERIODS = {
  month: "this month",
  last: "last month",
  days30: "last 30 days",
  days90: "last 90 days",
} as const;
export type Period = keyof typeof PERIODS;

export const periodIn = (text: string | null): Period =>
  text !== null && text in PERIODS ? (text as Period) : "month";

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The first and the last day of a period. */
export function daysOf(period: Period, now: number): { readonly since: string; readonly until: string } {
  const date = new Date(now);
  const month = (shift: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + shift, 1);
  switch (period) {
    case "month":
      return { since: dayOf(month(0)), until: dayOf(now) };
    case "last":
      return { since: dayOf(month(-1)), until: dayOf(month(0) - DAY_MS) };
    case "days30":
      return { since: dayOf(now - 29 * DAY_MS), until: dayOf(now) };
    case "days90":
      return { since: dayOf(now - 89 * DAY_MS), until: dayOf(now) };
    default:
      return period satisfies never;
  }
}

/** Every day from the first to the last, both included. */
export function everyDay({ since, until }: { readonly since: string; readonly until: string }): readonly string[] {
  const first = Date.parse(`${since}T00:00:00Z`);
  const count = Math.round((Date.parse(`${until}T00:00:00Z`) - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}
