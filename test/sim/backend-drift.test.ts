import { join } from "node:path";
import { execa } from "execa";
import t from "tap";
import { shownProcess } from "../../src/contract/orchestrator/engine-handle.ts";
import { createProcessBackend } from "../../src/orchestrator/fleet/process/process-backend.ts";
import { askEngine } from "../../src/orchestrator/engine-calls/ask-engine.ts";
import { silent, testFleet } from "../helpers/fleet.ts";
import { backendScript } from "./backend-script.ts";

t.test("real processes do what those of the simulated machine do", async (t) => {
  const fleet = testFleet(t, "by-user");
  const later = createProcessBackend({ ...fleet.settings, logger: silent });
  t.teardown(() => later.sockets.close());
  const real = await backendScript({
    backend: fleet.backend,
    later,
    order: (engine) => fleet.order({ user_id: engine }),
    askEngine,
    kill: ({ handle }) => process.kill(shownProcess(handle).pid ?? 0, "SIGKILL"),
  });
  const program = join(import.meta.dirname, "run-backend.ts");
  const { stdout } = await execa(process.execPath, [program], { env: { NODE_OPTIONS: "" } });
  t.same(real, JSON.parse(stdout), "the same steps, the same outcomes");
  t.ok(real.length > 30, `${real.length} steps`);
});
