import t from "tap";
import { defaultSpares } from "../../../src/orchestrator/rules/default-spares.ts";

t.test("a larger host keeps more spares by default, and a small one none", async (t) => {
  const spares = [512, 2047, 2048, 8191, 8192, 24_575, 24_576, 262_144].map(defaultSpares);
  t.same(spares, [0, 0, 1, 1, 2, 2, 4, 4]);
});
