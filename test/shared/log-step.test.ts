import t from "tap";
import { logStep } from "../../src/shared/log-step.ts";
import { createLogger } from "../../src/shared/logger.ts";

t.test("a step is logged with its time, and only at DEBUG", async (t) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const before = Number(process.hrtime.bigint() / 1000n);
  logStep(createLogger("test", "info", stream), "listening");
  t.same(lines, []);
  logStep(createLogger("test", "debug", stream), "row_claimed", "eng_1");
  const { step, at_us: atUs, engine_id: engineId, msg } = JSON.parse(lines[0] ?? "{}") as Record<string, unknown>;
  t.same({ step, engineId, msg }, { step: "row_claimed", engineId: "eng_1", msg: "reached a step" });
  t.ok(Number(atUs) >= before && Number(atUs) <= Number(process.hrtime.bigint() / 1000n));
});
