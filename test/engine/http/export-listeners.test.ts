import t from "tap";
import { startEngine } from "../../helpers/engine.ts";

t.test("an export adds no more listeners to its response than Node.js allows", async (t) => {
  const engine = await startEngine(t, { nodeOptions: ["--trace-warnings"] });
  for (let n = 0; n < 60; n++) await engine.turn("t", `/say message ${n}`);
  const exported = await engine.call("/memory/export");
  t.equal(exported.status, 200);
  t.match(exported.text, /"type":"end"[^\n]*\n$/);
  t.notMatch(engine.output(), /MaxListenersExceededWarning/);
});
