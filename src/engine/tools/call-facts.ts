/** What `{{…}}` of the catalog knows without a model's words: of the engine, and of a call. */
export const ENGINE_FACTS = ["user_id", "engine_id"] as const;
export const CALL_FACTS = ["task_id", "turn_id", "agent"] as const;
const OF_USER = /^user\.[A-Za-z_][\w-]{0,63}$/;
const NAMES: ReadonlySet<string> = new Set([...ENGINE_FACTS, ...CALL_FACTS]);

/** For messages. */
export const FACT_NAMES = [...ENGINE_FACTS, ...CALL_FACTS, "user.<key>"].join(", ");

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

export const isFact = (name: string): boolean => NAMES.has(name) || OF_USER.test(name);
export const isCallFact = (name: string): boolean => (CALL_FACTS as readonly string[]).includes(name);

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
