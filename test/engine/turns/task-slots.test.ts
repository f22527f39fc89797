import t from "tap";
import { TaskSlots } from "../../../src/engine/turns/task-slots.ts";
import { engineParts, says, scriptedProvider } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

const silent = async function* (_request: unknown, signal: AbortSignal) {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  yield { kind: "failed", failure: { kind: "aborted" }, usage: null } as const;
};

t.test("a turn without progress expires and frees its slot", async (t) => {
  const parts = engineParts(t, { provider: scriptedProvider(silent, says("hello")), ttlMs: 200 });
  const events = await parts.turn("stuck");
  t.match(events.at(-1), { event: "error", data: { error: "CHANNEL_EXPIRED" } });
  t.match((await parts.turn("stuck", "again")).at(-1)?.data, { phase: "completed" });
});

t.test("waiting for a human pauses the expiry timer, which restarts afterwards", async (t) => {
  const slots = new TaskSlots(150);
  const claim = slots.claim("task", "turn");
  if (claim.kind !== "claimed") throw new Error("not claimed");
  const { slot } = claim;
  const told: (string | undefined)[] = [];
  slots.subscribe((taskId) => told.push(slots.get(taskId)?.state));
  const resume = slot.waitForHuman();
  t.equal(slot.state, "waiting_for_human");
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.notOk(slot.signal.aborted);
  resume();
  t.equal(slot.state, "running");
  await until("it expires", () => slot.signal.aborted);
  t.match(slots.claim("task", "other"), { kind: "busy", holder: { turnId: "turn" } }, "aborted is not yet free");
  slot.release();
  t.same(told, ["waiting_for_human", "running", undefined], "each change is told once");
  t.match(slots.claim("task", "other"), { kind: "claimed" });
  slot.release();
  t.match(slots.claim("task", "third"), { kind: "busy" }, "an old slot cannot free a new one");
});
