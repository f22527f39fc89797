import type { OrchdError, TaskMessage } from "@orchd/client";
import type { TurnSteps } from "../../live/turn-steps.ts";

/** A message and what the engine made of it: one turn. */
export interface Exchange {
  readonly message: string;
  turnId: string | null;
  /** Its messages as they are stored. */
  stored: readonly TaskMessage[];
  /** What the stored messages say. */
  storedSteps: TurnSteps;
  /** From its events, when it ran while this page was open. */
  readonly live: TurnSteps;
  isRead: boolean;
  /** Events of waiting messages that were handled. */
  messages: number;
  /** Why it is not read at the moment, or was refused. */
  problem: OrchdError | null;
}

/** Events say more than messages, such as what was compacted. */
export function stepsOf({ live, storedSteps: stored }: Exchange): TurnSteps {
  return live.events === 0 || (stored.isOver && (!live.isOver || live.lacksText)) ? stored : live;
}

/** The messages of the user in it; undefined until they are stored. */
export function saidIn({ stored }: Exchange): { readonly first: TaskMessage; readonly last: TaskMessage } | undefined {
  const isOfUser = ({ role }: TaskMessage) => role === "user";
  const [first, last] = [stored.find(isOfUser), stored.findLast(isOfUser)];
  return first === undefined || last === undefined ? undefined : { first, last };
}

export const isRunning = (exchange: Exchange): boolean => exchange.problem === null && !stepsOf(exchange).isOver;

/** Whether it has been sent and has no turn yet. */
export const isUnnamed = ({ turnId, problem }: Exchange): boolean => turnId === null && problem === null;

export const textOf = ({ parts }: TaskMessage): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/** Messages by their turns, in their order. */
export function byTurn(messages: readonly TaskMessage[]): readonly (readonly TaskMessage[])[] {
  const turns: TaskMessage[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn !== undefined && turn[0]?.turn_id === message.turn_id) turn.push(message);
    else turns.push([message]);
  }
  return turns;
}
