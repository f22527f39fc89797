import { Chat } from "@ai-sdk/react";
import {
  type ChatInit,
  DefaultChatTransport,
  type UIMessage,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { until } from "../../../helpers/until.ts";

export interface ChatOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  /** More of the body, such as `client_tools`. */
  readonly body?: object;
  readonly init?: Partial<ChatInit<UIMessage>>;
  readonly fetch?: typeof globalThis.fetch;
}

/** What the SDK's own `useChat` is made of, without a page. It sends answers by the SDK's own rules. */
export const openChat = ({ url, headers, id, body, init = {}, fetch }: ChatOptions): Chat<UIMessage> =>
  new Chat({
    id,
    transport: new DefaultChatTransport({
      api: `${url}/v1/ui/chat`,
      headers,
      ...(body && { body }),
      ...(fetch && { fetch }),
    }),
    sendAutomaticallyWhen: (messages) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(messages) ||
      lastAssistantMessageIsCompleteWithToolCalls(messages),
    ...init,
  });

// Tests look into whatever came; a wrong shape fails the comparison.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyPart = any;

export const lastParts = ({ messages }: Chat<UIMessage>): readonly AnyPart[] => messages.at(-1)?.parts ?? [];

export const textsOf = (chat: Chat<UIMessage>): readonly string[] =>
  lastParts(chat).flatMap(({ type, text }) => (type === "text" ? [text] : []));

/** The first part of the last message that fits, and has come by then. */
export const partOf = (chat: Chat<UIMessage>, fits: (part: AnyPart) => boolean): Promise<AnyPart> =>
  until("the part comes", () => {
    if (chat.error !== undefined) throw chat.error;
    return lastParts(chat).find(fits);
  });

/** Nothing is sent or read any more. */
export const settled = (chat: Chat<UIMessage>): Promise<unknown> =>
  until("the chat is ready", () => chat.status === "ready" || chat.status === "error");
