import t from "tap";
import { EnginesOfUsers } from "../../../src/orchestrator/store/engines-of-users.ts";
import { preparePorts } from "../../../src/orchestrator/store/ports.ts";
import { onEachServer } from "../../helpers/database.ts";
import { insertedEngine, insertedProduct, range } from "../../helpers/records.ts";

onEachServer(t, "waiting calls find the engines of their users, each its own", async (t, { db }) => {
  await preparePorts(db, range);
  const [{ id: one }, { id: other }] = [await insertedProduct(db, "one"), await insertedProduct(db, "other")];
  const [alice, spaced] = [await insertedEngine(db, one, "alice"), await insertedEngine(db, other, "alice in  prd_1")];
  const engines = new EnginesOfUsers(db);
  const found = await Promise.all([
    ...Array.from({ length: 1000 }, () => engines.find(one, "alice")),
    engines.find(other, "alice in  prd_1"),
    engines.find(other, "alice"),
    engines.find("prd_0", ""),
  ]);
  t.same([...new Set(found.slice(0, 1000).map((row) => row?.id))], [alice?.id]);
  t.same(
    found.slice(1000).map((row) => row?.id),
    [spaced?.id, undefined, undefined],
  );
});
