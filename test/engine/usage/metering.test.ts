import t from "tap";
import type { UsageReport, UsageRow } from "../../../src/contract/engine/metered-usage.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";

async function report(engine: TestEngine, known = ""): Promise<UsageReport | undefined> {
  const { body } = await engine.control(`/control/status?usage=${known}`);
  return body.usage;
}
const rowOf = (from: UsageReport | undefined, model: string): Partial<UsageRow> =>
  from?.rows.find((row) => row.model === model) ?? {};

t.test("an engine's ledger has every model call and turn once, over kills and erasure", async (t) => {
  let engine = await startEngine(t);
  t.equal(await report(engine), undefined, "nothing is told before something was spent");
  await engine.turn("one", '/usage 10 5 2\n/tool list_files {"path":"."}\n/usage 20 6 4\n/say done');
  await engine.turn("two", "/usage 100 1 0\n/fail provider");
  const first = await report(engine);
  t.match(rowOf(first, "sandbox"), { model_calls: 2, input_tokens: 30, output_tokens: 11, cache_read_tokens: 6 });
  t.match(rowOf(first, ""), { turns: 2, failed_turns: 1, tool_calls: 1, model_calls: 0 });
  t.equal(
    await report(engine, `${first?.ledger}:${first?.revision}`),
    undefined,
    "a known revision is not reported again",
  );
  t.same(
    await report(engine, `${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}:99`),
    first,
    "another ledger is no position",
  );

  const stream = await engine.execute({ task_id: "cancelled", message: "/stream 400 200\n/say never" });
  await stream.first("text_delta");
  await engine.call("/execute/cancel", { body: { task_id: "cancelled" } });
  await stream.all();
  const cancelled = await report(engine, `${first?.ledger}:${first?.revision}`);
  const { output_tokens: out = 0, ...call } = rowOf(cancelled, "sandbox");
  t.match(call, { model_calls: 3, estimated_calls: 1 }, "a call that was cut off is estimated");
  t.ok(out > 11, "with the text that had come");
  t.match(rowOf(cancelled, ""), { turns: 3, failed_turns: 2 });

  await engine.stop("SIGKILL");
  engine = await startEngine(t, { dataDir: engine.dataDir });
  const after = await report(engine);
  t.same(after?.rows, cancelled?.rows, "a killed engine has lost nothing");
  await engine.call("/memory", { method: "DELETE" });
  t.same((await report(engine))?.rows, cancelled?.rows, "an erasure keeps the amounts");
  await engine.turn("three", "/usage 1 1 0\n/say again");
  t.match(rowOf(await report(engine), "sandbox"), { model_calls: 4, input_tokens: (call.input_tokens ?? 0) + 1 });
});
