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

/** Answers the extraction prompt with what is written down for each question. */
export const scriptedModel = (answers: ReadonlyMap<string, Partial<Learned>>): ModelProvider => ({
  name: "scripted",
  async *stream({ messages: [prompt] }) {
    const text = prompt?.role === "user" ? prompt.text : "";
    const { rounds } = JSON.parse(text.slice(text.indexOf("{"))) as { rounds: { turn: string; user: string }[] };
    const given = rounds.map(({ turn, user }) => {
      const { facts = [], people = [] } = answers.get(user) ?? {};
      return { turn, facts, people };
    });
    yield await Promise.resolve({ kind: "text", text: JSON.stringify({ rounds: given }) } as const);
    yield { kind: "done", reason: "stop", usage: { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 } };
  },
});
