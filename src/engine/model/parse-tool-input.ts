import { MAX_JSON_LEVELS, isFlatterThan, isRecord } from "../../shared/json-values.ts";

/** Parses a model's arguments; null if they are no JSON object or nested too deep. Empty text means no arguments. */
export function readToolInput(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isFlatterThan(MAX_JSON_LEVELS, value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
