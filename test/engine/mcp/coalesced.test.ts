import t from "tap";
import { Coalesced } from "../../../src/engine/mcp/coalesced.ts";
import { until } from "../../helpers/until.ts";

t.test("a thousand wishes are one run, and one more for those that came while it went on", async (t) => {
  const over = new AbortController();
  const runs: PromiseWithResolvers<void>[] = [];
  let open = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++open);
    const run = Promise.withResolvers<void>();
    runs.push(run);
    await run.promise;
    open--;
  };
  const listing = new Coalesced(work, { everyMs: 50, signal: over.signal });
  for (let wish = 0; wish < 1000; wish++) listing.ask();
  t.equal(runs.length, 1, "the first at once");
  for (let wish = 0; wish < 1000; wish++) listing.ask();
  t.equal(runs.length, 1);
  runs[0]?.resolve();
  await until("those are seen to", () => runs.length === 2);
  runs[1]?.resolve();
  await until("it rests", () => open === 0);
  listing.ask();
  await until("and begins again", () => runs.length === 3);
  t.equal(most, 1);
  over.abort();
  listing.ask();
  runs[2]?.resolve();
  await until("it is over", () => open === 0);
  t.equal(runs.length, 3);
});
