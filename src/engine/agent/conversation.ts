import { SUBMIT_RESULT } from "../../contract/engine/tool-names.ts";
import { asText } from "../../shared/json-values.ts";
import { contextBlock } from "../attachments/message-context.ts";
import { type UserContent, writtenParts, writtenText } from "../attachments/user-content.ts";
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
      const context = contextBlock(written);
      const parts = typeof written === "string" ? {} : { parts: writtenParts(written) };
      const more = { ...(context !== null && { context }), ...(recalled !== undefined && { recalled }) };
      return [{ role, text: writtenText(written), ...parts, ...more }];
    }
    case "assistant": {
      const parts = content as readonly AssistantContent[];
      return parts.length > 0 ? [{ role, content: parts }] : [];
    }
    case "tool": {
      const results = content as readonly ToolOutcome[];
      const [asked] = results.filter(isResultRequest);
      return [asked === undefined ? { role, results } : { role: "user", text: asText(asked.output), ofEngine: true }];
    }
    default:
      return role satisfies never;
  }
}

/**
 * What the engine asks of a model that has ended without a result: stored like a failed result, but of no call. It is no
 * message of the user.
 */
export const resultRequest = (text: string): ToolOutcome => ({
  id: "",
  tool: SUBMIT_RESULT,
  output: text,
  isError: true,
});

const isResultRequest = ({ id }: ToolOutcome): boolean => id === "";

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
