export type RateKind = "requests" | "tokens" | "input" | "output";

/** What a provider said of one of its limits: so much is left of so much, and at that time all of it is there again. */
export interface RateReading {
  readonly kind: RateKind;
  readonly limit: number;
  readonly remaining: number;
  readonly fullAtMs: number;
}

export type Headers = Readonly<Record<string, string | undefined>>;

const ANTHROPIC: Readonly<Record<string, RateKind>> = {
  requests: "requests",
  tokens: "tokens",
  "input-tokens": "input",
  "output-tokens": "output",
};
const OPENAI: readonly RateKind[] = ["requests", "tokens"];

/** The limits in an answer's headers, in Anthropic's words or in OpenAI's, which many others use; what is odd is left out. */
export function rateReadings(headers: Headers, nowMs: number): readonly RateReading[] {
  const readings: RateReading[] = [];
  const add = (kind: RateKind, [limit, remaining, reset]: readonly (string | undefined)[]) => {
    const fullAtMs = resetTime(reset?.trim() ?? "", nowMs);
    const [most, left] = [countOf(limit), countOf(remaining)];
    if (most !== null && left !== null && fullAtMs !== null)
      readings.push({ kind, limit: most, remaining: Math.min(left, most), fullAtMs: Math.max(nowMs, fullAtMs) });
  };
  for (const [name, kind] of Object.entries(ANTHROPIC))
    add(
      kind,
      ["limit", "remaining", "reset"].map((field) => headers[`anthropic-ratelimit-${name}-${field}`]),
    );
  for (const kind of OPENAI)
    add(
      kind,
      ["limit", "remaining", "reset"].map((field) => headers[`x-ratelimit-${field}-${kind}`]),
    );
  return readings;
}

/** Anything but a plain count is no count: some servers say -1 where they set no limit. */
function countOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : null;
}

/** A time, a number of seconds, or a duration such as `6m0s` or `120ms`. */
function resetTime(text: string, nowMs: number): number | null {
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? null : time;
  }
  if (/^\d+(\.\d+)?$/.test(text)) return nowMs + Number(text) * 1000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|d|h|m|s))+$/.test(text)) return null;
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|d|h|m|s)/g)];
  return nowMs + parts.reduce((sum, [, count, name]) => sum + Number(count) * unit[name as keyof typeof unit], 0);
}
