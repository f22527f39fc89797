import { isDeepStrictEqual } from "node:util";

export const isTrue = (value: unknown): boolean => value === true;

/** Below, at or above 0, as PostgreSQL orders two values that are not null. NaN when one is null. */
export function compare(one: unknown, other: unknown): number {
  if (one === null || other === null || one === undefined || other === undefined) return Number.NaN;
  if (one instanceof Date || other instanceof Date) return asTime(one) - asTime(other);
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [at, item] of one.entries()) {
      const order = compare(item, other[at]);
      if (order !== 0) return order;
    }
    return one.length - other.length;
  }
  if (typeof one === "number" || typeof other === "number") return Number(one) - Number(other);
  if (typeof one === "boolean" && typeof other === "boolean") return Number(one) - Number(other);
  if (typeof one === "object" || typeof other === "object") return isDeepStrictEqual(one, other) ? 0 : Number.NaN;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const asTime = (value: unknown): number =>
  value instanceof Date ? value.getTime() : typeof value === "number" ? value : new Date(String(value)).getTime();

/** A value as a column or a cast of this type holds it. */
export function castTo(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (type.endsWith("[]")) return Array.isArray(value) ? value : arrayOf(String(value));
  switch (type) {
    case "timestamptz":
      if (value instanceof Date || typeof value === "number") return value;
      return value === "-infinity" ? -Infinity : value === "infinity" ? Infinity : new Date(String(value));
    case "integer":
    case "int":
    case "bigint":
    case "float":
    case "numeric":
      return Number(value);
    case "boolean":
      return value === true || value === "true";
    case "jsonb":
    case "json":
      return typeof value === "string" ? (JSON.parse(value) as unknown) : value;
    case "text":
    case "uuid":
    case "date":
      return value instanceof Date ? value.toISOString() : String(value);
    default:
      return value;
  }
}

/** `{a,b}` */
const arrayOf = (text: string): readonly string[] => (text === "{}" ? [] : text.slice(1, -1).split(","));

/** A value as `pg` reads it from a column of this type. */
export const shown = (value: unknown, type: string | undefined): unknown =>
  type === "bigint" && typeof value === "number" ? String(value) : value;
