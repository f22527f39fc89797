/** The least seconds a provider wants to be left alone, from a failed answer's headers or body; null when it said none. */
export function retryAfterSeconds({
  headers,
  body,
  now,
}: {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly now: number;
}): number | null {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms / 1000);
  return fromHeader(headers["retry-after"]?.trim() ?? "", now) ?? fromBody(body);
}

/** A number of seconds or an HTTP date. */
function fromHeader(value: string, now: number): number | null {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // Date.parse takes "-5" for a year.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Google sends no header but `"retryDelay": "32s"`. */
function fromBody(body: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? null : Number(seconds);
}
