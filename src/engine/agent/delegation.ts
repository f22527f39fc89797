import PQueue from "p-queue";
import type { AssistantContent } from "../model/model-provider.ts";
import { CallParked, ToolFailed } from "../tools/tool.ts";
import { type AgentParts, createAgentLoop } from "./agent-loop.ts";
import type { CatalogProfiles } from "./agent-profiles.ts";
import type { Delegate } from "./prepare-call.ts";
import type { StepLog } from "./step-log.ts";
import type { TurnContext } from "./turn-context.ts";

const AT_ONCE = 4;

/**
 * Runs agents for other agents: each in a conversation of its own within the turn, at most four of a turn at once. What
 * it spends is the turn's; what it says is the call's result, and only its calls and questions are seen in the stream.
 */
export function createDelegation(parts: Omit<AgentParts, "profiles">, profiles: CatalogProfiles): Delegate {
  const lanes = new Map<string, PQueue>();
  return async ({ agent, task }, { call, context, queue }) => {
    const lane = lanes.get(context.turnId) ?? new PQueue({ concurrency: AT_ONCE });
    lanes.set(context.turnId, lane);
    try {
      return await lane.add(async () => {
        if (context.parking()) throw new CallParked();
        const branch = context.branch(`${agent} for ${call.id}`, task);
        const run = createAgentLoop({
          ...parts,
          tools: { ...parts.tools, queue },
          profiles: () => profiles.ofSubAgent(agent, context.agent),
        });
        const outcome = await run(inNameOf(branch, { agent, parentCallId: call.id }));
        const words = lastWords(branch.log);
        switch (outcome.kind) {
          case "completed":
            return words || "(it ended without a word)";
          case "parked":
            throw new CallParked();
          case "errored":
            throw new ToolFailed(`${agent} did not finish: ${outcome.message}${words && `\nIt last said: ${words}`}`);
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
 * The turn as the other agent sees it. All text in a stream is the answer to the user, so what this agent says and
 * thinks is not told; its calls are, each behind an empty block of its own, and marked with whom they are for.
 */
function inNameOf(
  branch: TurnContext,
  { agent, parentCallId }: { readonly agent: string; readonly parentCallId: string },
): TurnContext {
  const mark = { agent, parent_tool_call_id: parentCallId };
  return {
    ...branch,
    agent,
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
        default:
          return branch.emit(event);
      }
    },
    ask: (question) => branch.ask({ ...question, context: { ...question.context, ...mark } }),
  };
}

/** Of its last answer. */
function lastWords(log: StepLog): string {
  const last = log.messages().findLast(({ role }) => role === "assistant");
  const content = (last?.content ?? []) as readonly AssistantContent[];
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
}
