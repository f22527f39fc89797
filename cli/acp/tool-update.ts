import type { SessionUpdate, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { TaskMessagePart } from "../../src/client/records.ts";
import type { EngineEventData } from "../../src/client/record-types.ts";

type Call = EngineEventData["tool_call"];
type Result = EngineEventData["tool_result"];

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: "read",
  use_skill: "read",
  write_file: "edit",
  edit_file: "edit",
  publish_file: "edit",
  list_files: "search",
  search_files: "search",
  memory_search: "search",
  tool_search: "search",
  run_command: "execute",
  fetch_url: "fetch",
  plan: "think",
  memory_note: "think",
};
const MAX_TITLE = 200;

const titleOf = ({ tool, input, agent }: Pick<Call, "tool" | "input" | "agent">): string => {
  const [first] = Object.values(input);
  const about = typeof first === "string" ? ` ${first.replaceAll(/\s+/g, " ")}` : "";
  return `${agent === undefined ? "" : `${agent}: `}${tool}${about}`.slice(0, MAX_TITLE);
};

export const callUpdate = (call: Pick<Call, "tool" | "tool_call_id" | "input" | "agent">): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: call.tool_call_id,
  title: titleOf(call),
  name: call.tool,
  kind: KINDS[call.tool] ?? "other",
  status: "in_progress",
  rawInput: call.input,
});

export const resultUpdate = ({ tool_call_id: id, output, error }: Omit<Result, "value" | "tool">): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  status: error === null ? "completed" : "failed",
  content: [contentOf(error ?? output)],
  rawOutput: error === null ? output : { error },
});

/** A call of an earlier turn, with its result. */
export function pastCall(part: Extract<TaskMessagePart, { type: "tool" }>): SessionUpdate[] {
  const { status, output, error } = part;
  const call = callUpdate(part);
  return status === "running" ? [call] : [call, resultUpdate({ tool_call_id: part.tool_call_id, output, error })];
}

const contentOf = (value: unknown): ToolCallContent => ({
  type: "content",
  content: { type: "text", text: typeof value === "string" ? value : JSON.stringify(value, null, 2) },
});
