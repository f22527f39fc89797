import * as z from "zod/mini";
import type { MessagePart } from "../../../contract/engine/message-content.ts";
import { isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type TurnOptions, turnOptions } from "../turn-options.ts";

const part = z.looseObject({
  type: z.string("expected a part of a UIMessage").check(z.minLength(1), z.maxLength(200)),
});
export type UiPart = z.output<typeof part>;

const MESSAGE_ID = "expected an id of 1 to 200 characters";
const messageId = z.string(MESSAGE_ID).check(z.minLength(1, MESSAGE_ID), z.maxLength(200, MESSAGE_ID));
const message = z.object({
  id: messageId,
  role: z.enum(["system", "user", "assistant"], { error: "expected user or assistant" }),
  parts: z.array(part),
  metadata: z.optional(z.nullable(z.looseObject({}))),
});
export type UiMessage = z.output<typeof message>;

const MESSAGES = "expected a list of UIMessages, the last one of which is sent";
const TRIGGERS = ["submit-message", "regenerate-message"] as const;

/** Beside those that every protocol has. A page sends them as `body` of its transport. */
const MORE_OPTIONS = ["client_tools", "context"] as const;

const chatRequest = z.looseObject({
  id: z.string("expected the id of the chat"),
  messages: z.array(message, MESSAGES).check(z.minLength(1, MESSAGES)),
  trigger: z.optional(z.enum(TRIGGERS, { error: `expected ${TRIGGERS.join(" or ")}` })),
  messageId: z.optional(z.nullable(messageId)),
  on_disconnect: z.optional(z.nullable(z.enum(["continue", "cancel"]))),
});

/** What a client asks with its messages. */
export type ChatRequest = {
  readonly taskId: string;
  readonly options: TurnOptions<(typeof MORE_OPTIONS)[number]>;
  /**
   * Whether the turn ends when the client leaves its stream. It is no option of the turn: the stream also ends at a question,
   * and what its client waits for outlives a sleep of the engine.
   */
  readonly endsWhenLeft: boolean;
  /** All messages that the client sent. */
  readonly messages: readonly UiMessage[];
  /** The message that is meant, and its place in `messages`. */
  readonly message: UiMessage;
  readonly place: number;
  readonly kind: "answer" | "submit" | "edit" | "regenerate";
};

export function readChat(calls: EngineCalls, body: unknown): ChatRequest {
  const {
    id: taskId,
    messages,
    trigger = "submit-message",
    messageId: named,
    on_disconnect: onDisconnect,
    ...rest
  } = calls.validate(chatRequest, body);
  const options = turnOptions(rest, MORE_OPTIONS);
  const asked = { taskId, options, endsWhenLeft: onDisconnect === "cancel", messages };
  const last = messages.length - 1;
  const at = (place: number, kind: ChatRequest["kind"]): ChatRequest => {
    const found = messages[place];
    if (found === undefined) throw calls.error("INVALID_REQUEST", `messages: ${MESSAGES}`);
    return { ...asked, message: found, place, kind };
  };
  if (trigger === "regenerate-message") {
    const place = messages.findLastIndex(({ role }) => role === "user");
    if (place !== last)
      throw calls.error("INVALID_REQUEST", `messages.${last}: expected a message of the user, to answer again`);
    return at(place, "regenerate");
  }
  const place = named === undefined || named === null ? last : messages.findIndex(({ id }) => id === named);
  // An approval of an earlier message names it; a message of the user is the last one.
  if (messages[place]?.role === "assistant") return at(place, "answer");
  switch (messages[last]?.role) {
    case "assistant":
      return at(last, "answer");
    case "user":
      return at(last, place === last && named !== undefined && named !== null ? "edit" : "submit");
    default:
      throw calls.error("INVALID_REQUEST", `messages.${last}.role: expected user or assistant`);
  }
}

/** The content of a message of the user. Data parts are the page's own. */
export function contentOf(calls: EngineCalls, { message, place }: ChatRequest): string | readonly MessagePart[] {
  const parts = message.parts.flatMap((one, index): readonly MessagePart[] => {
    const field = `messages.${place}.parts.${index}`;
    if (one.type.startsWith("data-")) return [];
    if (one.type === "text" && typeof one["text"] === "string") return [{ type: "text", text: one["text"] }];
    if (one.type === "file") return [filePart(calls, one, field)];
    throw calls.error("INVALID_REQUEST", `${field}.type: expected text with its text, or file`);
  });
  const [first] = parts;
  if (first === undefined) throw calls.error("INVALID_REQUEST", `messages.${place}.parts: expected a text or a file`);
  return parts.length === 1 && first.type === "text" ? first.text : parts;
}

/** A file comes as a data URL, or is one of the workspace that the engine itself has shown. */
function filePart(
  calls: EngineCalls,
  { url, filename, mediaType, providerMetadata }: UiPart,
  field: string,
): MessagePart {
  const own = isRecord(providerMetadata) ? providerMetadata["orchd"] : undefined;
  const described = {
    ...(typeof filename === "string" && filename !== "" && { name: filename }),
    ...(typeof mediaType === "string" && mediaType !== "" && { media_type: mediaType }),
  };
  if (isRecord(own) && typeof own["path"] === "string") return { type: "file", path: own["path"], ...described };
  const [, parameters = "", data = ""] = (typeof url === "string" && /^data:([^,]*),([^]*)$/.exec(url)) || [];
  if (typeof url !== "string" || !url.startsWith("data:"))
    throw calls.error("INVALID_REQUEST", `${field}.url: expected a data URL; the engine fetches no other`);
  if (parameters.endsWith(";base64")) return { type: "file", data, ...described };
  try {
    return { type: "file", data: Buffer.from(decodeURIComponent(data)).toString("base64"), ...described };
  } catch {
    throw calls.error("INVALID_REQUEST", `${field}.url: expected a data URL with base64 or percent-encoded text`);
  }
}

/** From where a client that has this message reads its turn on. Null when it does not say. */
export function resumeOf({ metadata }: UiMessage): { readonly seq: number; readonly isAtStep: boolean } | null {
  const resume = metadata?.["resume"];
  if (!isRecord(resume) || !Number.isSafeInteger(resume["seq"]) || Number(resume["seq"]) < 0) return null;
  return { seq: Number(resume["seq"]), isAtStep: resume["at_step"] === true };
}
