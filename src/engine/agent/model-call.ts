import type { BlockType } from "../../contract/engine/events.ts";
import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-values.ts";
import type { AssistantContent, ModelProvider, ModelRequest } from "../model/model-provider.ts";
import { sanitizeUsage } from "../model/model-usage.ts";
import type { ModelAnswer, RequestedCall } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

interface ModelCallParts {
  readonly provider: ModelProvider;
  /** Calls of these tools are announced when they are open, and have ids that are unique in the engine. */
  readonly runsOnClient: (tool: string) => boolean;
}

/** Runs one model call: emits its parts as events and returns the answer to store. */
export async function callModel(
  { provider, runsOnClient }: ModelCallParts,
  request: ModelRequest,
  context: TurnContext,
): Promise<ModelAnswer> {
  const idOf = ({ id, tool }: { readonly id: string; readonly tool: string }) =>
    context.callId(runsOnClient(tool) ? "" : id);
  const content: AssistantContent[] = [];
  const calls: RequestedCall[] = [];
  let blockIndex = -1;
  let openBlock: BlockType | null = null;
  let call: RequestedCall | undefined;
  /** Of the open call, once the model has named its tool. */
  let callId: string | undefined;
  let showsInput = false;
  let text = "";
  let signature: unknown;
  let hasOutput = false;
  /** A cut answer is asked for again, and nothing of the next one has come. */
  let isReplaced = false;
  const firstBlock = context.nextBlock();
  for await (const part of provider.stream(request, context.signal)) {
    // A sub-agent of the turn may be waiting for a human.
    if (context.isWaitingForHuman()) await context.humanWaitOver();
    if (part.kind !== "done" && part.kind !== "failed") hasOutput = true;
    switch (part.kind) {
      case "block_start":
        if (isReplaced) content.length = 0;
        isReplaced = false;
        blockIndex = context.nextBlock();
        openBlock = part.block;
        call = undefined;
        callId = undefined;
        showsInput = part.block === "tool_use" && context.wantsToolInput();
        text = "";
        signature = undefined;
        context.emit({ event: "content_block_start", data: { block_index: blockIndex, block_type: part.block } });
        break;
      case "text":
        text += part.text;
        context.emit({ event: "text_delta", data: { text: part.text } });
        break;
      case "thinking":
        text += part.text;
        signature = part.signature ?? signature;
        if (part.text !== "") context.emit({ event: "thinking_delta", data: { text: part.text } });
        break;
      case "tool_input":
        callId ??= idOf(part);
        if (showsInput && part.json !== "")
          context.emit({ event: "tool_input_delta", data: { tool: part.tool, tool_call_id: callId, json: part.json } });
        break;
      case "tool_use":
        callId ??= idOf(part);
        call = { id: callId, tool: part.tool, input: notTooDeep(part.input), rawInput: part.rawInput };
        signature = part.signature;
        break;
      case "block_stop":
        if (part.block === "text" && text !== "") content.push({ kind: "text", text });
        if (part.block === "thinking") content.push({ kind: "thinking", text, ...signed(signature) });
        context.emit({ event: "content_block_stop", data: { block_index: blockIndex, block_type: part.block } });
        if (part.block === "tool_use" && call !== undefined) {
          calls.push(call);
          content.push({
            kind: "tool_use",
            id: call.id,
            tool: call.tool,
            input: call.input ?? {},
            ...signed(signature),
          });
          if (!runsOnClient(call.tool)) announce(context, call);
        }
        openBlock = null;
        break;
      case "restart":
        if (openBlock === "text" && text !== "") content.push({ kind: "text", text });
        if (openBlock !== null)
          context.emit({ event: "content_block_stop", data: { block_index: blockIndex, block_type: openBlock } });
        openBlock = null;
        for (const { tool, id } of calls.splice(0)) if (!runsOnClient(tool)) context.emit(didNotRun(tool, id));
        if (part.usage !== null) context.spend(sanitizeUsage(part.usage));
        context.replaceFrom(firstBlock);
        isReplaced = true;
        break;
      case "done":
        return { content, calls, usage: sanitizeUsage(part.usage), failure: null, hasOutput };
      case "failed":
        // Clients have already received this text, so the conversation keeps it.
        if (isReplaced) context.replaceFrom(null);
        if (openBlock === "text" && text !== "") content.push({ kind: "text", text });
        return { content, calls, usage: part.usage && sanitizeUsage(part.usage), failure: part.failure, hasOutput };
      default:
        part satisfies never;
    }
  }
  throw new Error(`provider ${provider.name} ended its stream without "done" or "failed"`);
}

const didNotRun = (tool: string, id: string) =>
  ({
    event: "tool_result",
    data: { tool, tool_call_id: id, output: null, error: "the answer was cut before the call started; it did not run" },
  }) as const;

/** Null for input nested too deeply, as for invalid JSON: the call is rejected. */
const notTooDeep = (input: RequestedCall["input"]): RequestedCall["input"] =>
  isFlatterThan(MAX_JSON_LEVELS, input) ? input : null;

/** Providers require their signatures to be returned unchanged. */
const signed = (signature: unknown) => (signature === undefined ? {} : { signature });

/** Emits the event of a call. */
export function announce(context: TurnContext, call: RequestedCall): void {
  context.emit({ event: "tool_call", data: { tool: call.tool, tool_call_id: call.id, input: call.input ?? {} } });
}
