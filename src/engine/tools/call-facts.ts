/** What `{{…}}` of the catalog knows without a model's words, the same for all calls of an engine. */
const ENGINE_FACTS = {
  user_id: "The id of the engine's user.",
  engine_id: "The id of the engine.",
} as const;
const OF_USER = /^user\.[A-Za-z_][\w-]{0,63}$/;
const USER_KEY = {
  "user.<key>":
    "A key of the `metadata` that the product stores with the engine: a text, a number, `true` or `false`. A key that is not set, a list and an object are missing values.",
} as const;
/** And what differs between calls. */
const CALL_FACTS = {
  task_id: "The task in which the call is made.",
  turn_id: "The turn in which the call is made.",
  agent: "The agent that makes the call.",
} as const;

export const FACT_MEANINGS: Readonly<Record<string, string>> = { ...ENGINE_FACTS, ...USER_KEY, ...CALL_FACTS };
/** For messages. */
export const FACT_NAMES = Object.keys(FACT_MEANINGS).join(", ");

/** Whose engine it is. */
export interface EngineFacts {
  readonly userId: string;
  readonly engineId: string;
  /** What the product stores with the engine. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface CallFacts {
  readonly taskId: string;
  readonly turnId: string;
  readonly agent: string;
}

export const isCallFact = (name: string): boolean => Object.hasOwn(CALL_FACTS, name);
export const isFact = (name: string): boolean =>
  Object.hasOwn(ENGINE_FACTS, name) || isCallFact(name) || OF_USER.test(name);

/** Always text. Undefined for a key of the user that is not set, or is no text, number or boolean. */
export function engineFact({ userId, engineId, metadata }: EngineFacts, name: string): string | undefined {
  if (name === "user_id") return userId;
  if (name === "engine_id") return engineId;
  if (!OF_USER.test(name)) return undefined;
  const key = name.slice("user.".length);
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

export function callFact({ taskId, turnId, agent }: CallFacts, name: string): string | undefined {
  return new Map<string, string>([
    ["task_id", taskId],
    ["turn_id", turnId],
    ["agent", agent],
  ]).get(name);
}
