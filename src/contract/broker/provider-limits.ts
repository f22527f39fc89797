type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Out of credit: a later try does not help. */
export const NO_CREDIT = /insufficient_quota|billing|credit balance/i;

/** What providers say of how much a key has left: names before and after `remaining` and `reset`. */
const REMAINDERS = [
  ["anthropic-ratelimit-requests-", ""],
  ["anthropic-ratelimit-tokens-", ""],
  ["anthropic-ratelimit-input-tokens-", ""],
  ["anthropic-ratelimit-output-tokens-", ""],
  ["x-ratelimit-", "-requests"],
  ["x-ratelimit-", "-tokens"],
] as const;

/** When a provider that limits a key, or is overloaded, wants to be called again, in seconds. Null: it does not say. */
export function retryAfterSeconds({
  headers,
  body,
  now,
}: {
  readonly headers: Headers;
  readonly body: string;
  readonly now: number;
}): number | null {
  const ms = Number.parseFloat(textOf(headers["retry-after-ms"]));
  if (Number.isFinite(ms)) return Math.max(0, ms / 1000);
  return fromHeader(textOf(headers["retry-after"]), now) ?? fromBody(body) ?? fromRemainders(headers, now);
}

const textOf = (header: Headers[string]): string => (typeof header === "string" ? header.trim() : "");

/** A number of seconds or an HTTP date. */
function fromHeader(value: string, now: number): number | null {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // Date.parse reads "-5" as a year.
  return /[a-z]{3}/i.test(value) ? untilDate(value, now) : null;
}

/** Google sends `"retryDelay": "32s"` in the body instead. */
function fromBody(body: string): number | null {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? null : Number(seconds);
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT/;

/** The latest reset of what is used up: a date, or a time such as `6m0s`. */
function fromRemainders(headers: Headers, now: number): number | null {
  const resets = REMAINDERS.flatMap(([before, after]) => {
    if (textOf(headers[`${before}remaining${after}`]) !== "0") return [];
    const reset = textOf(headers[`${before}reset${after}`]);
    return fromDuration(reset) ?? (RFC_3339.test(reset) ? untilDate(reset, now) : null) ?? [];
  });
  return resets.length === 0 ? null : Math.max(...resets);
}

function untilDate(text: string, now: number): number | null {
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

function fromDuration(text: string): number | null {
  const [whole, hours = 0, minutes = 0, seconds = 0, ms = 0] =
    /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(text) ?? [];
  if (whole === undefined || whole === "") return null;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(ms) / 1000;
}
