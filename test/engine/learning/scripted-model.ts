import type { ModelProvider } from "../../../src/engine/model/model-provider.ts";

/** What a model answers for one round of the extraction prompt. */
export interface Learned {
  readonly facts: readonly object[];
  readonly people: readonly object[];
}

/** A fact as a model words it. */
export const fact = (text: string, subject: string, predicate: string, object: string, more: object = {}) => ({
  text,
  subject,
  predicate,
  object,
  single: false,
  negated: false,
  valid_from: null,
  importance: 6,
  said_by: "user",
  ...more,
});

/** What the question about the profile page shows. */
export interface AskedPage {
  readonly facts: readonly { readonly number: number; readonly date: string; readonly text: string }[];
  readonly page: readonly { readonly section: string; readonly text: string }[];
  readonly lines_of_the_user: readonly { readonly section: string; readonly text: string }[];
}

/** The answer to the question about the profile page. */
export type PageAnswer = (asked: AskedPage) => object;
const NO_PAGE: PageAnswer = () => ({ lines: [] });

/**
 * Answers the extraction prompt with what is written down for each question, and the one about the profile page by a
 * function.
 */
export const scriptedModel = (
  answers: ReadonlyMap<string, Partial<Learned>>,
  page: PageAnswer = NO_PAGE,
): ModelProvider => ({
  name: "scripted",
  async *stream({ messages: [prompt] }) {
    const text = prompt?.role === "user" ? prompt.text : "";
    const asked = JSON.parse(text.slice(text.indexOf("{"))) as
      | AskedPage
      | { readonly rounds: readonly { readonly turn: string; readonly user: string }[] };
    const answer =
      "facts" in asked
        ? page(asked)
        : { rounds: asked.rounds.map(({ turn, user }) => ({ turn, ...learned(answers.get(user)) })) };
    yield await Promise.resolve({ kind: "text", text: JSON.stringify(answer) } as const);
    yield { kind: "done", reason: "stop", usage: { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 } };
  },
});

const learned = ({ facts = [], people = [] }: Partial<Learned> = {}): Learned => ({ facts, people });
