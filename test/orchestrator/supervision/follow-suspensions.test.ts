import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import t, { type Test } from "tap";
import { DEFAULT_POLICY, type Policy } from "../../../src/contract/orchestrator/policy.ts";
import { type LiveEngine, LiveEngines } from "../../../src/orchestrator/fleet/live-engines.ts";
import { followSuspensions, syncSuspension } from "../../../src/orchestrator/supervision/follow-suspensions.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { SerialLanes } from "../../../src/shared/serial-lanes.ts";
import { until } from "../../helpers/until.ts";

const SUSPENDED: Policy = { ...DEFAULT_POLICY, suspended: true };
const ENGINES = 50;
const CHANGES = 10;
const SILENT = 100;

/** A host whose engines all answer at one address, and what they were told. */
async function hostOf(t: Test, policyOf: (productId: string) => Promise<Policy | null>) {
  const told: unknown[] = [];
  const server = createServer(async (request, response) => {
    told.push(((await json(request)) as { suspended: unknown }).suspended);
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const live = new LiveEngines();
  for (let number = 0; number < ENGINES; number++)
    live.add({
      id: `eng_${number}`,
      productId: "prod_1",
      url,
      controlToken: "token",
      suspensionSent: null,
    } as LiveEngine);
  const stop = new AbortController();
  t.teardown(() => {
    stop.abort();
    server.close();
    server.closeAllConnections();
  });
  let change = (): void => undefined;
  const directory = { policyOf, onChange: (listener: () => void) => (change = listener) };
  const logger = createLogger("test", "silent");
  const host = { directory, live, lanes: new SerialLanes(), logger, stopping: stop.signal };
  return { host: host as unknown as Parameters<typeof followSuspensions>[0], told, change: () => change() };
}

t.test("without the database one look-up serves all engines of a product, and they are told afterwards", async (t) => {
  let [lookups, isAway] = [0, true];
  const { host, told, change } = await hostOf(t, async () => {
    lookups++;
    if (isAway) throw new Error("no database");
    return SUSPENDED;
  });
  followSuspensions(host);
  for (let number = 0; number < CHANGES; number++) change();
  await until("it is tried again", async () => lookups >= 2);
  t.ok(lookups < CHANGES);
  isAway = false;
  await until("all were told", async () => told.length === ENGINES);
  t.same(new Set(told), new Set(["drain"]));
});

t.test("a suspension that was read before it ended does not stay", async (t) => {
  const before = Promise.withResolvers<Policy>();
  const reads = [before.promise];
  const { host, told, change } = await hostOf(t, async () => reads.shift() ?? DEFAULT_POLICY);
  const [one] = host.live.all();
  followSuspensions(host);
  const sending = syncSuspension(host, one as LiveEngine);
  await until("it reads the policy", async () => reads.length === 0);
  change();
  await host.directory.policyOf("prod_1");
  before.resolve(SUSPENDED);
  await sending;
  await until("the end of the suspension is told", async () => told.at(-1) === null);
  t.same(told, ["drain", null]);
});

t.test("engines that do not answer delay no other", async (t) => {
  const { host, told, change } = await hostOf(t, async () => SUSPENDED);
  let ended = 0;
  const silent = createServer((request) => void request.once("close", () => ended++)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.teardown(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const answering = host.live.all();
  for (const live of answering) host.live.remove(live.id, live.incarnation);
  for (let number = 0; number < SILENT; number++)
    host.live.add({ ...(answering[0] as LiveEngine), id: `silent_${number}`, url });
  for (const live of answering) host.live.add(live);
  followSuspensions(host);
  change();
  await until("the others were told", async () => told.length === ENGINES);
  t.equal(ended, 0, "before the first of them was given up");
});
