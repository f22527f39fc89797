import { type UserContent, writtenText } from "../attachments/user-content.ts";
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
      const parts = typeof written === "string" ? {} : { parts: written };
      return [{ role, text: writtenText(written), ...parts, ...(recalled !== undefined && { recalled }) }];
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

export function unitsOf(stored: readonly MessageRow[]): readonly Unit[] {
  const units: MessageRow[][] = [];
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
  messages: readonly StoredMessage[],
): readonly Extract<AssistantContent, { kind: "tool_use" }>[] =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => (content as readonly AssistantContent[]).filter((part) => part.kind === "tool_use"));
