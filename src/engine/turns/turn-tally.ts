import type { BlockType, EngineEventData } from "../../contract/engine/events.ts";
import type { ModelUsage } from "../agent/turn-context.ts";
import type { EventJournal, JournalEvent } from "./event-journal.ts";

/** Excludes text deltas, of which there may be hundreds of megabytes. */
const COUNTED = ["tool_call", "tool_result", "content_block_start", "content_block_stop", "usage", "model_changed"];
const MAX_TURN_EVENTS = 1_000_000;

export type OpenCall = Pick<EngineEventData["tool_call"], "tool" | "tool_call_id" | "agent" | "parent_tool_call_id">;

const openCallOf = ({ tool, tool_call_id, agent, parent_tool_call_id }: OpenCall): OpenCall => ({
  tool,
  tool_call_id,
  ...(agent !== undefined && { agent }),
  ...(parent_tool_call_id !== undefined && { parent_tool_call_id }),
});

/** Running totals over a turn's events: open calls and blocks, call ids in use, usage. */
export class TurnTally {
  /** Calls without a result yet, by their ids: what each has in common with its result. */
  readonly openCalls = new Map<string, OpenCall>();
  readonly callIds = new Set<string>();
  openBlock: { readonly block_index: number; readonly block_type: BlockType } | null = null;
  nextBlock = 0;
  /** The models that answer instead of others, by sub-agent and model. */
  readonly #substitutes = new Map<string, string>();
  usage: ModelUsage = { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };

  /** The tally of a turn's stored events. */
  static of(journal: EventJournal, turnId: string): TurnTally {
    const tally = new TurnTally();
    for (const { type, data } of journal.read({ turnId, types: COUNTED, limit: MAX_TURN_EVENTS })) {
      tally.count({ event: type, data: JSON.parse(data) } as JournalEvent);
    }
    return tally;
  }

  /** The model that answers instead of one that failed in this turn. A sub-agent has substitutes of its own. */
  substituteOf(model: string, parentCallId = ""): string | null {
    return this.#substitutes.get(`${parentCallId}\n${model}`) ?? null;
  }

  count({ event, data }: JournalEvent): void {
    switch (event) {
      case "tool_call":
        this.callIds.add(data.tool_call_id);
        this.openCalls.set(data.tool_call_id, openCallOf(data));
        break;
      case "tool_result":
        this.openCalls.delete(data.tool_call_id);
        break;
      case "content_block_start":
        this.nextBlock = data.block_index + 1;
        this.openBlock = { block_index: data.block_index, block_type: data.block_type };
        break;
      case "content_block_stop":
        this.openBlock = null;
        break;
      case "usage":
        this.usage = {
          inputTokens: data.input_tokens,
          outputTokens: data.output_tokens,
          cacheHitTokens: data.cache_hit_tokens,
        };
        break;
      case "model_changed":
        this.#substitutes.set(`${data.parent_tool_call_id ?? ""}\n${data.from}`, data.to);
        break;
      default:
        break;
    }
  }
}
