import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { IndexedDocument } from "../../src/engine/knowledge-reading/build-index.ts";

export const SPLITS = ["dev", "held-out"] as const;
export type Split = (typeof SPLITS)[number];

export interface Question {
  readonly text: string;
  /** Each answers the question: a result of the document that has these words. */
  readonly answers: readonly { readonly path: string; readonly words: string }[];
}

/** Each wording is a question of its own. `together`: the wordings of what has two are one question, as the tool is told to ask. */
export function questionsOf(
  split: Split,
  documents: readonly IndexedDocument[],
  { together }: { readonly together: boolean } = { together: false },
): readonly Question[] {
  const file = join(import.meta.dirname, `${split}.yaml`);
  const facts: readonly { readonly ask: readonly string[]; readonly answers: readonly string[] }[] = parse(
    readFileSync(file, "utf8"),
  );
  return facts.flatMap(({ ask, answers }) => {
    const places = answers.map((answer) => placeOf(answer, documents));
    if (!together) return ask.map((text) => ({ text, answers: places }));
    return ask.length > 1 ? [{ text: ask.join(" "), answers: places }] : [];
  });
}

function placeOf(answer: string, documents: readonly IndexedDocument[]): Question["answers"][number] {
  const [path = "", words = ""] = answer.split(/: (.*)/s);
  const document = documents.find((one) => one.path === path);
  if (document?.passages.some(({ text }) => text.includes(words)) !== true)
    throw new Error(
      `no passage of ${path} says ${JSON.stringify(words)}: the document has changed, so change the answer`,
    );
  return { path, words };
}
