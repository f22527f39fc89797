import t from "tap";
import { StreamLimit } from "../../../src/orchestrator/http/stream-limit.ts";

const seats = () => new StreamLimit("event streams");
const take = (from: StreamLimit, caller: string | null, count: number) =>
  Array.from({ length: count }, () => from.acquire(caller));

t.test("a caller has 25 seats, and each that is given back is free again", async (t) => {
  const some = seats();
  const [first] = take(some, "prd_1", 25);
  const refusal = { code: "CAPACITY_EXHAUSTED", retryAfterS: 10, message: /^25 event streams of this caller/ };
  t.throws(() => some.acquire("prd_1"), refusal);
  t.ok(some.acquire("prd_2"));
  first?.[Symbol.dispose]();
  t.ok(some.acquire("prd_1"));
  t.throws(() => some.acquire("prd_1"), refusal);
});

t.test("all products together have 250, and operators their own", async (t) => {
  const some = seats();
  const taken = Array.from({ length: 10 }, (_, at) => take(some, `prd_${at}`, 25)).flat();
  t.throws(() => some.acquire("prd_other"), { code: "CAPACITY_EXHAUSTED", message: /^250 event streams are open/ });
  take(some, null, 25);
  t.throws(() => some.acquire(null), { code: "CAPACITY_EXHAUSTED" });
  for (const seat of taken) seat[Symbol.dispose]();
  t.ok(some.acquire("prd_other"));
});
