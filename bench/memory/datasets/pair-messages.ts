import type { Round } from "../history.ts";

export interface Message {
  /** `either`: a conversation between two people, in which nobody is the assistant. */
  readonly by: "user" | "assistant" | "either";
  readonly text: string;
}

/** What stands for a missing half of a round, because the memory stores only rounds with both. */
const SILENCE = "…";

/** Pairs messages into rounds; `roundOf` has the id of the round of each message, in the order of the messages. */
export function pairMessages(
  conversation: string,
  messages: readonly Message[],
): { readonly rounds: readonly Round[]; readonly roundOf: readonly string[] } {
  const rounds: { id: string; user?: string; assistant?: string }[] = [];
  const roundOf = messages.map(({ by, text }) => {
    const open = rounds.at(-1);
    const answers = open !== undefined && open.assistant === undefined && by !== "user";
    const round = answers ? open : { id: `${conversation}/${rounds.length + 1}` };
    if (!answers) rounds.push(round);
    round[answers || by === "assistant" ? "assistant" : "user"] = text;
    return round.id;
  });
  return {
    rounds: rounds.map(({ id, user, assistant }) => ({ id, user: orSilence(user), assistant: orSilence(assistant) })),
    roundOf,
  };
}

const orSilence = (text: string | undefined): string => (text === undefined || text.trim() === "" ? SILENCE : text);
