import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { InvalidInput, parse } from "../../../src/shared/parse.ts";
import type { History, Question } from "../history.ts";

/** The histories of a published file. */
export interface Dataset {
  readonly histories: readonly History[];
  /** Questions with an answer for which the file names no evidence that exists: they cannot be scored. */
  readonly leftOut: number;
}

/** A file that is not in its published format. The message names the file and the place in it. */
export class DatasetError extends Error {
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}`);
    this.name = "DatasetError";
  }
}

/** Parsed JSON, or a {@link DatasetError}. */
export function jsonIn(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new DatasetError(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DatasetError(file, `not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The value as its schema describes it; a problem is named by its path below `root`. */
export function checked<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  { file, root }: { readonly file: string; readonly root: string },
): z.output<S> {
  try {
    return parse(z.object({ [root]: schema }), { [root]: value }).value[root] as z.output<S>;
  } catch (error) {
    if (error instanceof InvalidInput) throw new DatasetError(file, error.message);
    throw error;
  }
}

/** Splits questions that can be scored from those that have an answer and no evidence. */
export function scorable(questions: readonly Question[]): {
  readonly kept: readonly Question[];
  readonly leftOut: number;
} {
  const kept = questions.filter(({ ability, evidence }) => ability === "abstention" || evidence.length > 0);
  return { kept, leftOut: questions.length - kept.length };
}

const DAY = 86_400_000;

/** For formats that do not say when a question is asked: a day after the last conversation. */
export const dayAfter = (dates: readonly string[]): string =>
  new Date(Math.max(...dates.map((date) => Date.parse(date))) + DAY).toISOString();
