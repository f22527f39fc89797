import { asText } from "../../shared/json-values.ts";
import { type CallFacts, type EngineFacts, callFact, engineFact, isFact } from "../tools/call-facts.ts";

/** Values of placeholders by name. */
export interface Values {
  get(name: string): unknown;
}

/**
 * The call's arguments, what the engine knows of user and call, and secrets as `secret:<name>`. The arguments come from a
 * model: none of them stands for the user, also where the user has no such key.
 */
export function valuesOf(
  given: Readonly<Record<string, unknown>>,
  {
    engine,
    call,
    secrets,
  }: { readonly engine: EngineFacts; readonly call: CallFacts; readonly secrets: ReadonlyMap<string, string> },
): Values {
  const values = new Map<string, unknown>([
    ...Object.entries(given),
    ...[...secrets].map(([name, value]) => [`secret:${name}`, value] as const),
  ]);
  return { get: (name) => (isFact(name) ? (engineFact(engine, name) ?? callFact(call, name)) : values.get(name)) };
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Placeholder names in all strings of a JSON value. */
export function placeholdersIn(template: unknown): readonly string[] {
  if (typeof template === "string") return [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name.trim());
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(placeholdersIn);
}

/** Null if a value is missing. Placeholders in values are not expanded. */
export function fillText(template: string, values: Values, write: (text: string) => string = identity): string | null {
  let missing = false;
  const filled = template.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = values.get(name.trim());
    if (value === undefined || value === null) missing = true;
    return write(asText(value));
  });
  return missing ? null : filled;
}

/** A string that is one placeholder becomes the value with its type; strings without a value are omitted. */
export function fillJson(template: unknown, values: Values): unknown {
  if (typeof template === "string") {
    const [, only] = /^\{\{([^{}]*)\}\}$/.exec(template) ?? [];
    return only === undefined ? (fillText(template, values) ?? undefined) : values.get(only.trim());
  }
  if (Array.isArray(template)) {
    return template.map((inner) => fillJson(inner, values)).filter((inner) => inner !== undefined);
  }
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template)
      .map(([key, inner]) => [key, fillJson(inner, values)] as const)
      .filter(([, inner]) => inner !== undefined),
  );
}

const identity = (text: string): string => text;
