import type { ContentBlock } from "./content-blocks.ts";
import { eventId } from "./event-ids.ts";

/** An event of a session. Its other fields depend on its type. */
export interface SessionEvent extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly type: string;
  readonly processed_at: string;
}

/** Why a session is idle. */
export type StopReason =
  | { readonly type: "end_turn" | "retries_exhausted" | "budget_reached" }
  | { readonly type: "requires_action"; readonly event_ids: readonly string[] };

/** Where and when something happened. */
export interface Moment {
  readonly turnId: string;
  readonly at: string;
}

export const sessionEvent = (
  { turnId, at }: Moment,
  what: string,
  type: string,
  more: Readonly<Record<string, unknown>> = {},
): SessionEvent => ({ id: eventId(turnId, what), type, processed_at: at, ...more });

export const userMessage = (moment: Moment, index: number, content: readonly ContentBlock[]): SessionEvent =>
  sessionEvent(moment, `user${index}`, "user.message", { content });

export const agentMessage = (moment: Moment, index: number, text: string): SessionEvent =>
  sessionEvent(moment, messageName(index), "agent.message", { content: [{ type: "text", text }] });
export const messageName = (index: number): string => `text${index}`;

export const agentThinking = (moment: Moment, index: number): SessionEvent =>
  sessionEvent(moment, `thinking${index}`, "agent.thinking");

export const running = (moment: Moment, what: string): SessionEvent =>
  sessionEvent(moment, what, "session.status_running");

export const idle = (moment: Moment, what: string, reason: StopReason): SessionEvent =>
  sessionEvent(moment, what, "session.status_idle", { stop_reason: reason, stop_details: null });

/** The ids of a turn's first and last event. */
export const START = "start";
export const END = "end";

/** The name under which questions of the agent appear as calls of a tool of the client. */
export const QUESTION_TOOL = "ask_human";

/** A call of a tool that the engine runs. */
export function toolUse(
  moment: Moment,
  call: { readonly id: string; readonly tool: string; readonly input: unknown },
): SessionEvent {
  const { id, tool, input } = call;
  const [, server, name] = MCP_TOOL.exec(tool) ?? [];
  return server === undefined
    ? sessionEvent(moment, id, "agent.tool_use", { name: tool, input })
    : sessionEvent(moment, id, "agent.mcp_tool_use", { mcp_server_name: server, name, input });
}

export function toolResult(
  moment: Moment,
  { id, tool }: { readonly id: string; readonly tool: string },
  result: { readonly content: readonly ContentBlock[]; readonly is_error: boolean },
): SessionEvent {
  const of = eventId(moment.turnId, id);
  return MCP_TOOL.test(tool)
    ? sessionEvent(moment, `${id}.result`, "agent.mcp_tool_result", { mcp_tool_use_id: of, ...result })
    : sessionEvent(moment, `${id}.result`, "agent.tool_result", { tool_use_id: of, ...result });
}
const MCP_TOOL = /^mcp__(.+?)__(.+)$/;

export const customToolUse = (moment: Moment, id: string, name: string, input: unknown): SessionEvent =>
  sessionEvent(moment, id, "agent.custom_tool_use", { name, input });

export const customToolResult = (
  moment: Moment,
  id: string,
  result: { readonly content: readonly ContentBlock[]; readonly is_error: boolean },
): SessionEvent =>
  sessionEvent(moment, `${id}.result`, "user.custom_tool_result", {
    custom_tool_use_id: eventId(moment.turnId, id),
    ...result,
  });
