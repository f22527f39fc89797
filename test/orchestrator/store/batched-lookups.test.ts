import t from "tap";
import { BatchedLookups } from "../../../src/orchestrator/store/batched-lookups.ts";

t.test("requests during a look-up share the next one", async (t) => {
  const reads: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const lookups = new BatchedLookups(async (keys) => {
    reads.push(keys);
    if (reads.length === 1) await first.promise;
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, `value of ${key}`]));
  });
  const asked = ["a", "b", "unknown", "b"].map((key) => lookups.find(key));
  first.resolve();
  t.same(await Promise.all(asked), ["value of a", "value of b", null, "value of b"]);
  t.same(reads, [["a"], ["b", "unknown"]]);
  t.equal(await lookups.find("a"), "value of a", "nothing is remembered");
  t.equal(reads.length, 3);
});

t.test("a failed statement rejects all look-ups that shared it, and the next one succeeds", async (t) => {
  let reads = 0;
  const lookups = new BatchedLookups(async (keys) => {
    if (++reads === 1) throw new Error("no connection");
    return new Map(keys.map((key) => [key, key]));
  });
  const asked = [lookups.find("a"), lookups.find("b")];
  await t.rejects(Promise.resolve(asked[0]), { message: "no connection" });
  t.equal(await asked[1], "b");
});
