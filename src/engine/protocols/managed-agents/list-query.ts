import type { EngineCalls } from "../engine-calls.ts";

/** The parameters that lists have in common. */
export interface Query {
  readonly limit: number;
  /** The `next_page` of the page before. */
  readonly page: string | null;
  readonly order: string | null;
  text(name: string): string | null;
  flag(name: string): boolean;
  list(name: string): readonly string[];
  /** Whether a time is within the bounds of `created_at`. */
  isWithin(time: string): boolean;
}

type Parameters = Readonly<Record<string, unknown>>;

/** Throws for a value that is none, by its name. */
export function readQuery(
  calls: EngineCalls,
  parameters: Parameters,
  {
    limit,
    orders = [],
  }: { readonly limit: { readonly fallback: number; readonly max: number }; readonly orders?: readonly string[] },
): Query {
  const refused = (name: string, expected: string) => calls.error("INVALID_REQUEST", `${name}: expected ${expected}`);
  const text = (name: string): string | null => {
    const value = parameters[name];
    if (value === undefined) return null;
    if (typeof value !== "string") throw refused(name, "one value");
    return value;
  };
  const given = text("limit");
  const count = given === null ? limit.fallback : Number(given);
  if (!Number.isInteger(count) || count < 1 || count > limit.max) throw refused("limit", `1 to ${limit.max}`);
  const order = text("order");
  if (order !== null && !orders.includes(order)) throw refused("order", orders.join(" or ") || "none");
  const bounds = Object.entries(COMPARISONS).flatMap(([name, holds]) => {
    const value = text(`created_at[${name}]`);
    if (value === null) return [];
    const bound = Date.parse(value);
    if (Number.isNaN(bound)) throw refused(`created_at[${name}]`, "a time in RFC 3339");
    return [(time: number) => holds(time, bound)];
  });
  return {
    limit: count,
    page: text("page"),
    order,
    text,
    flag: (name) => text(name) === "true",
    list: (name) => [parameters[`${name}[]`] ?? []].flat().map(String),
    isWithin: (time) => bounds.every((holds) => holds(Date.parse(time))),
  };
}

const COMPARISONS: Readonly<Record<string, (time: number, bound: number) => boolean>> = {
  gt: (time, bound) => time > bound,
  gte: (time, bound) => time >= bound,
  lt: (time, bound) => time < bound,
  lte: (time, bound) => time <= bound,
};
