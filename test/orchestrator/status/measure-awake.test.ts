import t from "tap";
import type { EngineProcess } from "../../../src/orchestrator/fleet/engine-backend.ts";
import { LiveEngines, type LiveEngine } from "../../../src/orchestrator/fleet/live-engines.ts";
import { measureAwake } from "../../../src/orchestrator/status/measure-awake.ts";
import { AwakeSlots } from "../../../src/orchestrator/supervision/awake-slots.ts";
import { silent } from "../../helpers/fleet.ts";
import { until } from "../../helpers/until.ts";

type Host = Parameters<typeof measureAwake>[0];

t.test("eight engines that have run for a while are measured, each once, also after a failure", async (t) => {
  const live = new LiveEngines();
  const add = (id: string, more: object) =>
    live.add({ id, process: { id }, isStopping: false, supervisedAt: -60_000, ...more } as unknown as LiveEngine);
  for (let index = 0; index < 20; index++) add(`eng_${index}`, {});
  add("young", { supervisedAt: Infinity });
  add("stopping", { isStopping: true });
  const rounds: string[][] = [];
  const proportionalMemory = async (processes: readonly EngineProcess[]) => {
    rounds.push(processes.map((process) => (process as unknown as { id: string }).id));
    if (rounds.length === 1) throw new Error("/proc cannot be read");
    return processes.map(() => 400 * 2 ** 20);
  };
  const backend = { proportionalMemory } as unknown as Host["backend"];
  const awakeSlots = new AwakeSlots({ memoryMb: 5 * 1024 });
  const stopping = new AbortController();
  const done = measureAwake({ backend, live, awakeSlots, logger: silent, stopping: stopping.signal }, 1);
  await until("the limit follows", () => awakeSlots.limit !== new AwakeSlots({ memoryMb: 5 * 1024 }).limit);
  stopping.abort();
  await done;
  for (const round of rounds) t.equal(new Set(round).size, 8);
  t.notOk(rounds.flat().some((id) => id === "young" || id === "stopping"));
  t.ok(awakeSlots.engineMb > 300);
});
