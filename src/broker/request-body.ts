/** The fields that bound an answer, by the protocols. */
const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;
const NESTED_LIMITS = { generationConfig: "maxOutputTokens", inferenceConfig: "maxTokens" } as const;
const MAX_OUTPUT = 10_000_000;
/** Of a request that does not bound its answer. */
const DEFAULT_OUTPUT = 131_072;
/** Of a provider that answers later, or goes on with what it has stored: its cost is not in the body. */
const UNBOUNDED = ["background", "previous_response_id", "conversation"] as const;
/** What is read of a model call. */
export const CALL_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "n",
  ...UNBOUNDED,
  ...LIMITS,
  ...Object.keys(NESTED_LIMITS),
]);
/** Fewer bytes of JSON than a token has on the average, in languages with long characters too. */
const BYTES_PER_TOKEN = 3;

export interface RequestBounds {
  /** Upper estimates, in tokens. */
  readonly input: number;
  readonly output: number;
}

/** What a model call of so many bytes may cost at most. Null for a call that has a cost that is not in it. */
export function boundsOf(fields: ReadonlyMap<string, unknown>, bytes: number): RequestBounds | null {
  if (UNBOUNDED.some((name) => Boolean(fields.get(name)))) return null;
  const outputs = [
    ...LIMITS.map((name) => fields.get(name)),
    ...Object.entries(NESTED_LIMITS).map(([name, limit]) => recordIn(fields.get(name))[limit]),
  ].filter((value) => typeof value === "number" && Number.isInteger(value) && value > 0) as number[];
  return {
    input: Math.ceil(bytes / BYTES_PER_TOKEN),
    output: Math.min((outputs.length === 0 ? DEFAULT_OUTPUT : Math.max(...outputs)) * answersOf(fields), MAX_OUTPUT),
  };
}

/** How many answers to the same request are asked for. */
function answersOf(fields: ReadonlyMap<string, unknown>): number {
  const counts = [fields.get("n"), recordIn(fields.get("generationConfig"))["candidateCount"]];
  return Math.max(1, ...counts.filter((count) => typeof count === "number"));
}

const recordIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
