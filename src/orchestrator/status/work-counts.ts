import type { EngineMetricName } from "../../contract/engine/metrics.ts";
import type { EngineUsage } from "../../contract/orchestrator/records.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";

const TURNS: EngineMetricName = "orch_turns_total";
const TOKENS: EngineMetricName = "orch_model_tokens_total";

/** An engine's turns and tokens since its process started, as last reported. Null before the first report. */
export function workCounts({ counted }: Pick<LiveEngine, "counted">): EngineUsage["work"] {
  if (counted === null) return null;
  const work = { turns: 0, failed_turns: 0, tokens: 0 };
  for (const [key, [value = 0]] of counted.values) {
    const [name, ...labels] = key.split("\n");
    if (name === TURNS) work.turns += value;
    if (name === TURNS && labels[0] === "errored") work.failed_turns += value;
    // Input includes what was cached.
    if (name === TOKENS && !labels.includes("cached")) work.tokens += value;
  }
  return work;
}
