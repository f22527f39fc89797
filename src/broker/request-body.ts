const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The fields that bound an answer, by the protocols. */
const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
const NESTED_LIMITS = { generationConfig: "maxOutputTokens", inferenceConfig: "maxTokens" } as const;
const MAX_OUTPUT = 10_000_000;
/** Of a request that does not bound its answer. */
const DEFAULT_OUTPUT = 131_072;
/** Of a provider that answers later, or goes on with what it has stored: its cost is not in the body. */
const UNBOUNDED = ["background", "previous_response_id", "conversation"] as const;
/** Fewer bytes of JSON than a token has on the average, in languages with long characters too. */
const BYTES_PER_TOKEN = 3;

export interface RequestBounds {
  /** Null when its path names it. */
  readonly model: string | null;
  /** Upper estimates, in tokens. */
  readonly input: number;
  readonly output: number;
}

/**
 * What a model call may cost at most. Null for what is no JSON object, names a field twice, or has a cost that is not in
 * it: a provider could read another field than this does.
 */
export function boundsOf(body: Buffer): RequestBounds | null {
  const fields = topLevelFields(body);
  if (fields === null || UNBOUNDED.some((name) => Boolean(fields.get(name)))) return null;
  const outputs = [
    ...LIMITS.map((name) => fields.get(name)),
    ...Object.entries(NESTED_LIMITS).map(([name, limit]) => recordIn(fields.get(name))[limit]),
  ].filter((value) => typeof value === "number" && Number.isInteger(value) && value > 0) as number[];
  const model = fields.get("model");
  return {
    model: typeof model === "string" ? model : null,
    input: Math.ceil(body.length / BYTES_PER_TOKEN),
    output: Math.min((outputs.length === 0 ? DEFAULT_OUTPUT : Math.max(...outputs)) * answersOf(fields), MAX_OUTPUT),
  };
}

/** How many answers to the same request are asked for. */
function answersOf(fields: ReadonlyMap<string, unknown>): number {
  const counts = [fields.get("n"), recordIn(fields.get("generationConfig"))["candidateCount"]];
  return Math.max(1, ...counts.filter((count) => typeof count === "number"));
}

/** The fields that are read, without parsing the conversation. */
function topLevelFields(body: Buffer): ReadonlyMap<string, unknown> | null {
  const wanted = new Set<string>(["model", "n", ...UNBOUNDED, ...LIMITS, ...Object.keys(NESTED_LIMITS)]);
  const fields = new Map<string, unknown>();
  const seen = new Set<string>();
  let [depth, start] = [0, 0];
  let key: string | null = null;
  const finish = (end: number): boolean => {
    if (key === null) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    if (wanted.has(key)) fields.set(key, JSON.parse(body.toString("utf8", start, end)));
    key = null;
    return true;
  };
  if (!/^\s*\{/.test(body.toString("latin1", 0, 100))) return null;
  try {
    for (let at = 0; at < body.length; at++) {
      const byte = body[at];
      if (byte === QUOTE) {
        const end = endOfString(body, at + 1);
        // An escaped name is read as the provider reads it.
        if (depth === 1 && key === null) key = JSON.parse(body.toString("utf8", at, end + 1)) as string;
        at = end;
      } else if (byte === COLON && depth === 1) start = at + 1;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
        if (depth === 0) return finish(at) ? fields : null;
      } else if (byte === COMMA && depth === 1 && !finish(at)) return null;
    }
  } catch {
    // It is no JSON.
  }
  return null;
}

/** The closing quote, or the end of the bytes. A quote after an odd number of backslashes belongs to the string. */
function endOfString(bytes: Buffer, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote;
    while (before > from && bytes[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote;
  }
  return bytes.length;
}

const recordIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
