import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { History } from "./history.ts";

interface Life {
  readonly messages: readonly {
    readonly id: string;
    readonly date: string;
    readonly user: string;
    readonly assistant: string;
  }[];
  /** `of`: messages each of which answers; empty if none does. `passing`: said beside the point. */
  readonly questions: readonly { readonly text: string; readonly of: readonly string[]; readonly passing?: boolean }[];
}

/** One life in short messages, and questions in words that hardly occur in it. */
export function everyday(split: "dev" | "held-out" | "german-dev"): History {
  const file = join(import.meta.dirname, "everyday", `${split}.yaml`);
  const { messages, questions }: Life = parse(readFileSync(file, "utf8"));
  return {
    id: `everyday-${split}`,
    conversations: messages.map(({ id, date, user, assistant }) => ({
      id,
      date: `${date}T10:00:00.000Z`,
      rounds: [{ id: `${id}/1`, user, assistant }],
    })),
    questions: questions.map(({ text, of, passing = false }, index) => ({
      id: `q${index + 1}`,
      ability: of.length === 0 ? "abstention" : "extraction",
      kind: of.length === 0 ? "stranger" : passing ? "passing" : "direct",
      text,
      now: "2026-01-25T10:00:00.000Z",
      evidence: of.map((id) => ({ round: `${id}/1`, holds: "" })),
      outdated: [],
      never: [],
    })),
  };
}
