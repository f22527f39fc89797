import type { FollowContext, FollowedTurn } from "./follow-turn.ts";
import type { OpenQuestion, OpenToolCall, TurnEnd } from "./ask-progress.ts";

/** What a request that waits for a turn is answered with. */
export type Outcome =
  | TurnEnd
  | { readonly kind: "question"; readonly question: OpenQuestion }
  | { readonly kind: "client_tool"; readonly call: OpenToolCall }
  /** The reading ended before the turn. */
  | { readonly kind: "running" };

interface Waiting extends Pick<FollowContext, "exchange"> {
  /** Gets what a person may read while the turn runs. */
  readonly note: (text: string, seq: number) => Promise<void>;
}

/** Waits until the turn has ended, or needs what only the client has. */
export async function awaitTurn(turn: FollowedTurn, { exchange, note }: Waiting): Promise<Outcome> {
  const { progress, taskId: task } = turn;
  const seen = exchange.resumed?.seq ?? 0;
  const asked = new Set<string>();
  const left = exchange.left.then(() => "left" as const);
  const events = turn.events?.[Symbol.asyncIterator]();
  for (;;) {
    for (const question of progress.questions.values()) {
      if (exchange.ask === null) return { kind: "question", question };
      // The stream before this one has asked it.
      if (question.seq <= seen || asked.has(question.request_id)) continue;
      asked.add(question.request_id);
      await exchange.reached({ task, turn: progress.turnId ?? undefined, seq: question.seq });
      await exchange.ask(question);
    }
    const outcome = decided(turn);
    if (outcome !== null) return outcome;
    const next = await Promise.race([events?.next(), left]);
    if (next === undefined || next === "left" || next.done === true) break;
    for (const row of next.value) {
      const text = progress.take(row);
      if (text === null) continue;
      await exchange.reached({ task, turn: row.turnId, seq: row.seq });
      await note(text, row.seq);
    }
  }
  const [question] = progress.questions.values();
  return question === undefined ? { kind: "running" } : { kind: "question", question };
}

function decided({ progress }: FollowedTurn): Outcome | null {
  if (progress.end !== null) return progress.end;
  const [call] = progress.clientCalls.values();
  return call === undefined ? null : { kind: "client_tool", call };
}
