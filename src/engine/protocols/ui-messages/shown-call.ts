import { ASK_TOOL, type Chunk } from "./chunks.ts";

/** A call of a tool, or a question of the agent, which is shown as one. */
export interface ShownCall {
  readonly id: string;
  readonly tool: string;
  /** The index of the block in which the model wrote it. */
  readonly block: number;
  /** Whether a chunk has announced it. */
  isShown: boolean;
  /** Undefined while the model writes it. */
  input?: unknown;
  /** Of a delegated agent. */
  agent?: { readonly agent: string | undefined; readonly parent_tool_call_id: string | undefined };
  /** Whether the client answers it, by `addToolOutput`. */
  isForClient: boolean;
  approval?: {
    readonly id: string;
    readonly question: string;
    readonly options: readonly string[];
    approved?: boolean;
  };
  outcome?: { readonly output: unknown } | { readonly error: string };
}

/** The engine's own calls are `providerExecuted`: the client neither runs nor awaits them. */
const execution = ({ isForClient }: ShownCall) => (isForClient ? {} : { providerExecuted: true });

export const inputStart = (call: ShownCall): Chunk => ({
  type: "tool-input-start",
  toolCallId: call.id,
  toolName: call.tool,
  dynamic: true,
});

export const inputAvailable = (call: ShownCall): Chunk => ({
  type: "tool-input-available",
  toolCallId: call.id,
  toolName: call.tool,
  input: call.input,
  dynamic: true,
  ...execution(call),
  ...(call.agent && { toolMetadata: JSON.parse(JSON.stringify(call.agent)) as object }),
});

export const approvalRequest = ({ id, approval }: ShownCall): Chunk => ({
  type: "tool-approval-request",
  toolCallId: id,
  approvalId: approval?.id,
  reason: approval?.question,
  approvalDescriptor: { options: approval?.options },
});

export const approvalResponse = ({ approval }: ShownCall): Chunk => ({
  type: "tool-approval-response",
  approvalId: approval?.id,
  approved: approval?.approved === true,
});

export function outcomeChunk(call: ShownCall): Chunk {
  const { outcome, approval, id } = call;
  if (outcome !== undefined && "output" in outcome)
    return { type: "tool-output-available", toolCallId: id, output: outcome.output, dynamic: true, ...execution(call) };
  // A part that was denied has no error text.
  if (approval?.approved === false) return { type: "tool-output-denied", toolCallId: id };
  return { type: "tool-output-error", toolCallId: id, errorText: outcome?.error, dynamic: true, ...execution(call) };
}

/** Everything that has happened with a call so far. */
export function callChunks(call: ShownCall): readonly Chunk[] {
  if (call.input === undefined) return [inputStart(call)];
  return [
    inputAvailable(call),
    ...(call.approval === undefined ? [] : [approvalRequest(call)]),
    ...(call.approval?.approved === undefined ? [] : [approvalResponse(call)]),
    ...(call.outcome === undefined ? [] : [outcomeChunk(call)]),
  ];
}

/** The input of a question that no call of `ask_human` asks, such as one of a tool server. */
export const questionInput = (question: string, options: readonly string[], allowFreeText: unknown) => ({
  question,
  options,
  allow_free_text: allowFreeText === true,
});

export const isQuestion = ({ tool }: Pick<ShownCall, "tool">): boolean => tool === ASK_TOOL;
