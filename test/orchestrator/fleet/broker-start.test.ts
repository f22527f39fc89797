import { resolve } from "node:path";
import t, { type Test } from "tap";
import { LocalBroker } from "../../../src/orchestrator/fleet/broker/local-broker.ts";
import { nativeProblem } from "../../../src/sandbox/sockets.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { brokerPid } from "../../helpers/model-broker.ts";

const file = resolve(import.meta.dirname, "../../../dist/orchd-broker.cjs");

async function openBroker(t: Test) {
  const dataDir = freshFolder(t);
  const stopping = new AbortController();
  const broker = await new LocalBroker({
    nodePath: process.execPath,
    file,
    folder: `${dataDir}/broker`,
    secret: "the secret of a deployment",
    host: "127.0.0.1",
    port: null,
    enginePorts: { min: 20_000, max: 29_999 },
    ownerOn: () => null,
    confine: false,
    extraCaCerts: null,
    daemonUrl: "http://127.0.0.1:9",
    logger: createLogger("test", "silent"),
    stopping: stopping.signal,
  }).open();
  t.teardown(async () => {
    stopping.abort();
    await broker.stop();
  });
  return { broker, pid: () => brokerPid(dataDir) };
}

t.test("the first call starts the broker, whoever makes it", { skip: nativeProblem() ?? false }, async (t) => {
  const { broker, pid } = await openBroker(t);
  t.equal(pid(), null, "none runs before");
  const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${broker.reach.url}/health`)));
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.not(pid(), null);
  t.equal(broker.restarts, 0, "one start");
});

t.test("a broker that nobody calls is not started, and is closed", async (t) => {
  const { broker, pid } = await openBroker(t);
  broker.close();
  t.equal(pid(), null);
  await t.rejects(fetch(`${broker.reach.url}/health`), "its port is free again");
});
