import t from "tap";
import { ENGINE_STATES } from "../../src/contract/orchestrator/requests.ts";
import { isRunning } from "../../src/orchestrator/rules/engine-lifecycle.ts";
import { tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/orchestrator-api.md";

t.test("the states are those of the code, both ways", async (t) => {
  const rows = tableRows(FILE, "states").map(([state, , running]) => [withoutBackticks(state), running]);
  t.same(
    rows,
    ENGINE_STATES.map((state) => [state, isRunning(state) ? "yes" : "no"]),
    tableIs(FILE, "states", "src/contract/orchestrator/engine-states.ts"),
  );
});
