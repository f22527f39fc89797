import PQueue from "p-queue";
import type { AssistantContent } from "../model/model-provider.ts";
import { CallParked, ToolFailed } from "../tools/tool.ts";
import { type AgentParts, createAgentLoop } from "./agent-loop.ts";
import type { CatalogProfiles } from "./agent-profiles.ts";
import type { Delegate } from "./prepare-call.ts";
import type { StepLog } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

const MAX_CONCURRENT = 4;

/**
 * Runs sub-agents, each in its own conversation within the turn, at most four of a turn in parallel. Their usage counts
 * for the turn. Their last answer is the call's result, or what they submitted; the stream shows only their tool calls and questions.
 */
export function createDelegation(parts: Omit<AgentParts, "profiles">, profiles: CatalogProfiles): Delegate {
  const lanes = new Map<string, PQueue>();
  return async ({ agent, task }, { call, context, queue }) => {
    const lane = lanes.get(context.turnId) ?? new PQueue({ concurrency: MAX_CONCURRENT });
    lanes.set(context.turnId, lane);
    try {
      return await lane.add(async () => {
        if (context.parking()) throw new CallParked();
        const branch = context.branch(`${agent} for ${call.id}`, task);
        const run = createAgentLoop({
          ...parts,
          tools: { ...parts.tools, queue },
          profiles: (_, choice) => profiles.ofSubAgent(agent, context.agent, choice),
        });
        const observed = context.telemetry.subAgent(agent, context.scope);
        const { followsTurn, effort = branch.effort } = profiles.ofSubAgent(agent, context.agent);
        const model = followsTurn === true ? branch.model : undefined;
        const inside = { ...branch, scope: observed.scope, model, effort };
        const outcome = await run(subAgentContext(inside, { agent, parentCallId: call.id })).catch((error: unknown) => {
          observed.end("aborted");
          throw error;
        });
        observed.end(outcome.kind === "errored" ? outcome.code : null);
        const answer = lastAnswer(branch.log);
        switch (outcome.kind) {
          case "completed":
            return outcome.output ?? (answer || "(the agent finished without an answer)");
          case "parked":
            throw new CallParked();
          case "errored":
            throw new ToolFailed(`${agent} failed: ${outcome.message}${answer && `\nIts last answer: ${answer}`}`);
          default:
            return outcome satisfies never;
        }
      });
    } finally {
      if (lane.size === 0 && lane.pending === 0) lanes.delete(context.turnId);
    }
  };
}

/**
 * The turn context of a sub-agent. Text in the stream is the answer to the user, so the sub-agent's text and thinking
 * are not emitted. Its tool calls are, each after an empty block and marked with agent and parent call.
 */
function subAgentContext(
  branch: TurnContext,
  { agent, parentCallId }: { readonly agent: string; readonly parentCallId: string },
): TurnContext {
  const mark = { agent, parent_tool_call_id: parentCallId };
  return {
    ...branch,
    agent,
    substituteOf: (model) => branch.substituteOf(model, parentCallId),
    emit(event) {
      switch (event.event) {
        case "text_delta":
        case "thinking_delta":
        case "content_block_start":
        case "content_block_stop":
          return branch.progress();
        case "tool_call": {
          const block = { block_index: branch.nextBlock(), block_type: "tool_use" } as const;
          branch.emit({ event: "content_block_start", data: block });
          branch.emit({ event: "content_block_stop", data: block });
          return branch.emit({ event: "tool_call", data: { ...event.data, ...mark } });
        }
        case "tool_result":
          return branch.emit({ event: "tool_result", data: { ...event.data, ...mark } });
        case "file_changed":
          return branch.emit({ event: "file_changed", data: { ...event.data, ...mark } });
        case "knowledge_found":
          return branch.emit({ event: "knowledge_found", data: { ...event.data, ...mark } });
        case "model_changed":
          return branch.emit({ event: "model_changed", data: { ...event.data, ...mark } });
        default:
          return branch.emit(event);
      }
    },
    // Its text was not emitted.
    replaceFrom: () => undefined,
    wantsToolInput: () => false,
    gate: {
      covers: (tool) => branch.gate.covers(tool),
      decide: (call) => branch.gate.decide({ ...call, parentToolCallId: parentCallId }),
    },
    callClient: (call) => branch.callClient({ ...call, agent, parentToolCallId: parentCallId }),
    ask: (question) => branch.ask({ ...question, context: { ...question.context, ...mark } }),
  };
}

function lastAnswer(log: StepLog): string {
  const last = log.messages().findLast(({ role }) => role === "assistant");
  const content = (last?.content ?? []) as readonly AssistantContent[];
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
}
