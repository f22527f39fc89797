import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { EngineProcess } from "../../../../src/orchestrator/fleet/engine-backend.ts";
import type { ProcessOrder } from "../../../../src/orchestrator/fleet/process/process-order.ts";
import { isPortFree } from "../../../../src/orchestrator/fleet/process/port-check.ts";
import { readStat } from "../../../../src/sandbox/processes.ts";
import { HOST, healthy, readText, testFleet, pidOf } from "../../../helpers/fleet.ts";
import { until } from "../../../helpers/until.ts";

async function started(t: Parameters<typeof testFleet>[0], engine: string) {
  const { backend, order } = testFleet(t, engine);
  const given = await order();
  const process = await backend.launch(given);
  t.match(await healthy(given, process), { kind: "healthy" });
  return { backend, order: given, engine: process };
}

const childrenOf = ({ launch }: ProcessOrder): number[] =>
  JSON.parse(readFileSync(join(launch.data_dir, "children.json"), "utf8"));
const living = (pids: readonly number[]): number[] => pids.filter((pid) => readStat(pid) !== null);

t.test("an engine that ignores SIGTERM is killed after its timeout", async (t) => {
  const { engine } = await started(t, "ignores-sigterm");
  t.same(await engine.stop(200), { kind: "killed" });
  t.same(await engine.exited, { code: null, signal: "SIGKILL", oom: false });
});

t.test("a second stop with a shorter timeout shortens the first", async (t) => {
  const { engine } = await started(t, "ignores-sigterm");
  const patient = engine.stop(60_000);
  t.same(await engine.stop(100), { kind: "killed" });
  t.same(await patient, { kind: "killed" });
});

t.test("children in their own sessions and double-forked listeners are stopped with the engine", async (t) => {
  const { engine, order } = await started(t, "forks-children");
  const children = childrenOf(order);
  t.same(living(children), children);
  t.notOk(await isPortFree(HOST, order.launch.port + 1), "the double-forked child listens");
  t.same(await engine.stop(1000), { kind: "killed" }, "one child ignores TERM");
  t.same(living(children), []);
  t.ok(await isPortFree(HOST, order.launch.port + 1));
});

t.test("the remains of a crashed engine are killed before the next launch", async (t) => {
  const { backend, engine, order } = await started(t, "forks-children");
  const children = childrenOf(order);
  process.kill(pidOf(engine), "SIGKILL");
  await engine.exited;
  const second: ProcessOrder = { ...order, launch: { ...order.launch, incarnation: "second" } };
  const next: EngineProcess = await backend.launch(second);
  t.same(living(children), []);
  t.match(await healthy(second, next), { kind: "healthy" });
  t.same(await engine.stop(0), { kind: "killed" }, "a late stop of the first life tells how it ended");
  t.match(await healthy(second, next), { kind: "healthy" }, "the second engine is still healthy");
  await next.stop(100);
});

t.test("zombies do not keep a tree alive", async (t) => {
  const { engine, order } = await started(t, "zombie-maker");
  const [zombie] = childrenOf(order);
  await until("the child is a zombie", () => /\) Z /.test(readText(`/proc/${zombie}/stat`)));
  t.same(await engine.stop(5000), { kind: "exited" });
});
