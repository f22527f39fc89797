import type { TaskMessage, TaskMessagePart } from "../../../contract/engine/task-message.ts";
import type { TaskMessages } from "../../../contract/engine/task.ts";
import { asText } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { filePart } from "./message-parts.ts";

/** The last messages of a conversation that a client without any gets. */
const MAX_MESSAGES = 1000;

/** The messages of a conversation, the oldest first. Empty for one that does not exist yet. */
export async function storedMessages(calls: EngineCalls, taskId: string): Promise<readonly TaskMessage[]> {
  const pages: (readonly TaskMessage[])[] = [];
  let before: string | null = null;
  let count = 0;
  do {
    const query: Record<string, string> = { limit: "200", ...(before !== null && { before }) };
    const page: TaskMessages | null = await calls
      .call<TaskMessages>("listMessages", { path: { task_id: taskId }, query })
      .catch((error: unknown) => {
        if (calls.described(error).code === "NOT_FOUND") return null;
        throw error;
      });
    pages.unshift(page?.items ?? []);
    count += page?.items.length ?? 0;
    before = page?.before ?? null;
  } while (before !== null && count < MAX_MESSAGES);
  return pages.flat();
}

/** Stored messages, as AG-UI has them: a call is of the agent's message, and its result a message of its own. */
export const messagesOf = (stored: readonly TaskMessage[]): readonly object[] =>
  stored.flatMap((message) => (message.role === "user" ? [userMessage(message)] : assistantMessages(message)));

function userMessage({ message_id: id, parts }: TaskMessage): object {
  const shown = parts.flatMap((part): object[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "attachment" ? [filePart(part)] : [];
  });
  const texts = parts.filter(({ type }) => type === "text");
  const only = texts.length === shown.length && texts.length === 1 ? texts[0] : undefined;
  return { id, role: "user", content: only?.type === "text" ? only.text : shown };
}

type Call = Extract<TaskMessagePart, { type: "tool" }>;

interface Spoken {
  readonly id: string;
  readonly role: "assistant";
  readonly content?: string;
  toolCalls?: object[];
}

function assistantMessages({ message_id: id, parts }: TaskMessage): readonly object[] {
  const messages: object[] = [];
  /** The agent's last message, and the results of its calls, which come after it. */
  let last: Spoken | null = null;
  let results: object[] = [];
  const push = (message: object) => {
    messages.push(...results, message);
    results = [];
  };
  const speak = (message: Spoken): Spoken => {
    push(message);
    return message;
  };
  for (const [index, part] of parts.entries()) {
    const own = `${id}.${index}`;
    if (part.type === "reasoning") {
      push({ id: own, role: "reasoning", content: part.text });
      last = null;
    } else if (part.type === "text") last = speak({ id: own, role: "assistant", content: part.text });
    else if (part.type === "tool") {
      last ??= speak({ id: own, role: "assistant" });
      last.toolCalls = [...(last.toolCalls ?? []), callOf(part)];
      if (part.status !== "running") results.push(resultOf(part));
    }
  }
  return [...messages, ...results];
}

const callOf = ({ tool_call_id: id, tool, input }: Call): object => ({
  id,
  type: "function",
  function: { name: tool, arguments: JSON.stringify(input) },
});

const resultOf = ({ tool_call_id: toolCallId, output, error, attachments }: Call): object => ({
  id: `${toolCallId}.result`,
  role: "tool",
  toolCallId,
  content: resultContent({ output, error, attachments }),
  ...(error !== null && { error }),
});

/** What a call returned, with its files. */
export function resultContent({
  output,
  error,
  attachments = [],
}: {
  readonly output: unknown;
  readonly error: string | null;
  readonly attachments?: Call["attachments"] | undefined;
}): string | readonly object[] {
  const text = error ?? asText(output ?? "");
  return attachments.length === 0 ? text : [{ type: "text", text }, ...attachments.map(filePart)];
}
