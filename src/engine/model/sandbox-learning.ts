import type { ModelRequest } from "./model-provider.ts";

type Statement = readonly [pattern: RegExp, predicate: string | null, text: (object: string) => string];

const NAME = String.raw`(\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*)`;
/** A null predicate stands for the first group of the pattern. */
const STATEMENTS: readonly Statement[] = [
  [new RegExp(`\\b[Mm]y name is ${NAME}`, "gu"), "name", (name) => `The user's name is ${name}.`],
  [new RegExp(`\\bI live in ${NAME}`, "gu"), "lives in", (place) => `The user lives in ${place}.`],
  [new RegExp(`\\bI work (?:at|for) ${NAME}`, "gu"), "works at", (employer) => `The user works at ${employer}.`],
  [/\b[Mm]y (favou?rite \w+) is ([^.,;!?\n]+)/gu, null, (object) => `The user's ${object}.`],
];

interface ShownRound {
  readonly turn: string;
  readonly user: string;
}

/** The sandbox model's answer to the extraction prompt: it recognises a few plain sentences. */
export function sandboxLearning({ messages }: ModelRequest): string {
  const [prompt] = messages;
  const text = prompt?.role === "user" ? prompt.text : "";
  const { rounds } = JSON.parse(text.slice(text.indexOf("{"))) as { readonly rounds: readonly ShownRound[] };
  return JSON.stringify({ rounds: rounds.map(({ turn, user }) => ({ turn, facts: factsIn(user), people: [] })) });
}

function factsIn(message: string): readonly object[] {
  return STATEMENTS.flatMap(([pattern, predicate, text]) =>
    [...message.matchAll(pattern)].map(([, first = "", second = ""]) => ({
      text: predicate === null ? text(`${first} is ${second}`) : text(first),
      subject: "user",
      predicate: predicate ?? first,
      object: predicate === null ? second : first,
      single: true,
      said_by: "user",
    })),
  );
}
