import t from "tap";
import { newId } from "../../src/shared/ids.ts";

t.test("ids made one after the other sort in that order", async (t) => {
  const ids = Array.from({ length: 20_000 }, () => newId("eng"));
  t.same(ids, ids.toSorted());
  t.equal(new Set(ids).size, ids.length);
});

t.test("an id is its prefix and a UUID of version 7", async (t) => {
  t.match(newId("prd"), /^prd_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
