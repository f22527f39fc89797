/** Retry-after in seconds from the headers or body of a failed response; null if absent. */
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
  // Date.parse reads "-5" as a year.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Google sends `"retryDelay": "32s"` in the body instead. */
function fromBody(body: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? null : Number(seconds);
}
