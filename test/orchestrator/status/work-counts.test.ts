import t from "tap";
import { EngineTotals } from "../../../src/orchestrator/status/engine-totals.ts";
import { workCounts } from "../../../src/orchestrator/status/work-counts.ts";

t.test("an engine's turns and tokens are added up from what it has counted", async (t) => {
  t.equal(workCounts({ counted: null }), null);
  const model = ["sandbox", "sandbox", "turn"];
  const counted = new EngineTotals().add(
    "p",
    {
      revision: 1,
      samples: [
        ["orch_turns_total", ["completed", "none"], 5],
        ["orch_turns_total", ["errored", "LLM_ERROR"], 2],
        ["orch_model_tokens_total", [...model, "input"], 100],
        ["orch_model_tokens_total", [...model, "cached"], 80],
        ["orch_model_tokens_total", [...model, "output"], 10],
        ["orch_turn_seconds", ["completed"], [1, 2, 3]],
      ],
    },
    null,
  );
  t.same(workCounts({ counted }), { turns: 7, failed_turns: 2, tokens: 110 });
});
