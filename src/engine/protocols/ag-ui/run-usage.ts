import type { EngineEventData } from "../../../contract/engine/events.ts";

type Usage = EngineEventData["usage"];

/** The tokens of a run: those of its turn, without what an earlier run of the turn has reported. */
export class RunUsage {
  /** Of the turn so far. */
  total: Usage | null = null;
  #earlier: Usage | null = null;

  /** The run begins here. */
  begin(): void {
    this.#earlier = this.total;
  }

  get shown(): object {
    if (this.total === null) return {};
    const inputTokens = this.#spent("input_tokens");
    const outputTokens = this.#spent("output_tokens");
    const cachedInputTokens = this.#spent("cache_hit_tokens");
    return { usage: [{ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, cachedInputTokens }] };
  }

  #spent(field: keyof Usage): number {
    return (this.total?.[field] ?? 0) - (this.#earlier?.[field] ?? 0);
  }
}
