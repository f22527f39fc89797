import t from "tap";
import { collectGarbage } from "../../src/shared/collect-garbage.ts";

t.test("what nothing refers to is gone at once, and nothing else learns to collect", async (t) => {
  const gone = new WeakRef({ large: Array.from({ length: 10_000 }, () => 0) });
  // A weak reference holds what it refers to until the tick that made it is over.
  await new Promise(setImmediate);
  collectGarbage();
  t.equal(gone.deref(), undefined);
  t.notOk("gc" in globalThis);
});
