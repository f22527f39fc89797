/** What a simulated server did, so that a real one can be asked the same. */
export type Entry =
  | {
      readonly session: number;
      readonly sql: string;
      readonly parameters: readonly unknown[];
      /** `now()` of its transaction, in milliseconds since the epoch. */
      readonly now: number;
      readonly outcome: { readonly rows: readonly unknown[]; readonly count: number } | { readonly code: string };
    }
  /** The session ended, and what it had not committed is gone. */
  | { readonly session: number; readonly sql: null };

/** Values as they compare after JSON: a time is its ISO text, an infinite one a word. */
export function comparable(value: unknown): unknown {
  if (value === Infinity || value === -Infinity) return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, comparable(one)]));
}
