import type { AssistantContent } from "../model/model-provider.ts";

/** A stored message. Later messages have higher ids. */
export interface PlacedMessage {
  readonly id: number;
  readonly turnId: string;
  readonly role: "user" | "assistant" | "tool";
  readonly content: unknown;
  readonly recalled?: string;
}

/** The unit that compaction never splits: a user message, or a model answer with the results of its calls. */
export interface Unit {
  readonly messages: readonly PlacedMessage[];
  readonly opensTurn: boolean;
  /** The id of its last message. */
  readonly through: number;
}

export function unitsOf(stored: readonly PlacedMessage[]): readonly Unit[] {
  const units: PlacedMessage[][] = [];
  for (const message of stored) {
    const last = units.at(-1);
    if (message.role === "tool" && last !== undefined) last.push(message);
    else units.push([message]);
  }
  return units.map((messages) => ({
    messages,
    opensTurn: messages[0]?.role === "user",
    through: messages.at(-1)?.id ?? 0,
  }));
}

export const callsOf = (
  messages: readonly PlacedMessage[],
): readonly Extract<AssistantContent, { kind: "tool_use" }>[] =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => (content as readonly AssistantContent[]).filter((part) => part.kind === "tool_use"));
