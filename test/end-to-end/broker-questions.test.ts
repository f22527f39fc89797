import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import root from "tap";
import { DaemonRoad } from "../../src/broker/ask-daemon.ts";
import { sealingKeyOf } from "../../src/contract/broker/call-key.ts";
import { questionTokenOf } from "../../src/contract/broker/tokens.ts";
import { ask } from "../helpers/api.ts";
import { openReplicas } from "../helpers/replicas.ts";

const replicas = await openReplicas(root, { products: ["acme"] });
const leader = await replicas.start();
const follower = await replicas.start();
const { body: product } = await leader.admin("/products/register", { method: "POST", body: { slug: "acme" } });
const key = product.platform_api_key as string;
const body = { user_id: "alice" };
const { body: engine } = await leader.platform(key, "/engines/provision", { method: "POST", body });
const id = engine.id as string;

const token = questionTokenOf(sealingKeyOf(readFileSync(join(leader.dataDir, "secret-key"), "utf8").trim()));
const roads = [leader, follower].map(({ url }) => new DaemonRoad({ token, url }));
root.teardown(() => roads.forEach((road) => road.close()));

async function incarnation(): Promise<string> {
  const client = new pg.Client({ connectionString: replicas.databaseUrl });
  await client.connect();
  const { rows } = await client.query("select incarnation from engines where id = $1", [id]);
  await client.end();
  return rows[0].incarnation as string;
}

root.test("every replica answers the broker: an engine's start is current until the engine stops", async (t) => {
  const first = await incarnation();
  const answers = (start: string, of = id) =>
    Promise.all(roads.map((road) => road.ask("engine", { engine: of, incarnation: start })));
  t.same(await answers(first), [{ is_current: true }, { is_current: true }]);
  t.same(await answers("another start"), [{ is_current: false }, { is_current: false }]);
  t.same(await answers(first, "eng_nobody"), [{ is_current: false }, { is_current: false }]);
  t.equal((await leader.platform(key, "/engines/alice/stop", { method: "POST" })).status, 200);
  t.same(await answers(first), [{ is_current: false }, { is_current: false }]);
  t.equal((await leader.platform(key, "/engines/alice/start", { method: "POST" })).status, 200);
  t.same(
    await answers(first),
    [{ is_current: false }, { is_current: false }],
    "a start of its own has keys of its own",
  );
  t.same(await answers(await incarnation()), [{ is_current: true }, { is_current: true }]);
});

root.test("nobody without the deployment's secret asks as the broker, and bad questions are named", async (t) => {
  const call = (path: string, headers: Readonly<Record<string, string>>, asked: unknown = {}) =>
    ask(leader.url, path, { method: "POST", body: asked, headers });
  const own = { "x-broker-token": token };
  for (const headers of [
    {},
    { "x-broker-token": "" },
    { "x-broker-token": "a guess" },
    { "x-admin-key": leader.adminKey },
    { "x-platform-key": key },
  ])
    t.equal((await call("/broker/engine", headers)).status, 401);
  t.match(await call("/broker/engine", own, { engine: 1, incarnation: "one" }), {
    status: 400,
    text: /engine: expected/,
  });
  t.equal((await call("/broker/engine", own, { engine: "x", incarnation: "y", more: 1 })).status, 400);
  t.equal((await call("/broker/nothing", own)).status, 404);
  t.equal((await ask(leader.url, "/broker/engine", { headers: own })).status, 404);
  const long = { engine: "x".repeat(70_000), incarnation: "one" };
  t.equal((await call("/broker/engine", own, long)).status, 413);
  t.notMatch(leader.output(), token, "the token is in no log");
});
