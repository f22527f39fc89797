import { contextBlock } from "../attachments/message-context.ts";
import { type UserContent, engineText, writtenParts, writtenText } from "../attachments/user-content.ts";
import type { AssistantContent, ModelMessage, ToolOutcome } from "../model/model-provider.ts";
import { pairCalls } from "../model/wire/history.ts";

export interface StoredMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: unknown;
  /** Recalled memories, shown after a user message. */
  readonly recalled?: string;
}

/** A message with its id in the store. Later messages have higher ids. */
export interface MessageRow extends StoredMessage {
  readonly id: number;
  readonly turnId: string;
}

/** The unit that compaction never splits: a user message, or a model answer with the results of its calls. */
export interface Unit {
  readonly messages: readonly MessageRow[];
  readonly opensTurn: boolean;
  /** The id of its last message. */
  readonly through: number;
}

/** Converts a stored conversation to model messages. Each tool call gets exactly one result, if needed a placeholder. */
export const modelMessages = (stored: readonly StoredMessage[]): ModelMessage[] =>
  pairCalls(stored.flatMap(modelMessage));

function modelMessage({ role, content, recalled }: StoredMessage): readonly ModelMessage[] {
  switch (role) {
    case "user": {
      const written = content as UserContent;
      const asked = engineText(written);
      if (asked !== null) return [{ role, text: asked, ofEngine: true }];
      const context = contextBlock(written);
      const parts = typeof written === "string" ? {} : { parts: writtenParts(written) };
      const more = { ...(context !== null && { context }), ...(recalled !== undefined && { recalled }) };
      return [{ role, text: writtenText(written), ...parts, ...more }];
    }
    case "assistant": {
      const parts = content as readonly AssistantContent[];
      return parts.length > 0 ? [{ role, content: parts }] : [];
    }
    case "tool":
      return [{ role, results: content as readonly ToolOutcome[] }];
    default:
      return role satisfies never;
  }
}

/** Whether a message is one of the user. */
export const isOfUser = ({ role, content }: StoredMessage): boolean =>
  role === "user" && engineText(content as UserContent) === null;

export function unitsOf(stored: readonly MessageRow[]): readonly Unit[] {
  const units: MessageRow[][] = [];
  for (const message of stored) {
    const last = units.at(-1);
    // What the engine asked stays with the answer before it.
    const isWithLast = message.role === "tool" || (message.role === "user" && !isOfUser(message));
    if (isWithLast && last !== undefined) last.push(message);
    else units.push([message]);
  }
  return units.map((messages) => ({
    messages,
    opensTurn: messages[0] !== undefined && isOfUser(messages[0]),
    through: messages.at(-1)?.id ?? 0,
  }));
}

export const callsOf = (
  messages: readonly StoredMessage[],
): readonly Extract<AssistantContent, { kind: "tool_use" }>[] =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => (content as readonly AssistantContent[]).filter((part) => part.kind === "tool_use"));
