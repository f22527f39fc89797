import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-levels.ts";

/** Parses a model's arguments; null if they are no JSON object or nested too deep. Empty text means no arguments. */
export function readToolInput(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject && isFlatterThan(MAX_JSON_LEVELS, value) ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
