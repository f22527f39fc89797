import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { EngineClient } from "../../src/client/engine-client.ts";
import type { TaskMessage, TaskMessagePart } from "../../src/client/records.ts";
import { pastCall } from "./tool-update.ts";
import { chunk } from "./turn-updates.ts";

const PAGE = 200;

/** The conversation of a task as updates, the oldest message first. */
export async function* history(engine: EngineClient, taskId: string): AsyncGenerator<SessionUpdate> {
  let after: string | null = "msg_0";
  while (after !== null) {
    const page: Awaited<ReturnType<EngineClient["taskMessages"]>> = await engine.taskMessages(taskId, {
      after,
      limit: PAGE,
    });
    for (const message of page.items) for (const part of message.parts) yield* updatesOf(message, part);
    after = page.after;
  }
}

function updatesOf({ role }: TaskMessage, part: TaskMessagePart): SessionUpdate[] {
  switch (part.type) {
    case "text":
      return chunk(role === "user" ? "user_message_chunk" : "agent_message_chunk", part.text);
    case "reasoning":
      return chunk("agent_thought_chunk", part.text);
    case "tool":
      return pastCall(part);
    case "attachment":
      return chunk("user_message_chunk", `[${part.name}]`);
    case "artifact":
      return chunk("agent_message_chunk", `[${part.title}] ${part.path}`);
    case "question":
      if (part.kind === "permission") return [];
      return [...chunk("agent_message_chunk", part.question), ...chunk("user_message_chunk", part.answer ?? "")];
    case "error":
      return chunk("agent_message_chunk", `[${part.error}]`);
    default:
      return [];
  }
}
