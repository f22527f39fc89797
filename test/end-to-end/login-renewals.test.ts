import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { startGuardedToolServer } from "../helpers/guarded-tool-server.ts";
import { openReplicas } from "../helpers/replicas.ts";
import { openTokenRoad } from "../helpers/token-road.ts";
import { openLoginFleet, signInBy } from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";

/** Lets the server go on with a form whose sender has ended meanwhile. */
async function readForm(request: IncomingMessage & { body?: object }): Promise<void> {
  request.body = Object.fromEntries(new URLSearchParams(await text(request)));
}

/** Tokens that are always about to end: each question for one is a renewal. */
const ABOUT_TO_END_S = 30;

t.test("a strict authorization server answers after kill -9 of the daemon: the next one has the tokens", async (t) => {
  const authorization = await startAuthorizationServer(t, { accessTokenS: ABOUT_TO_END_S });
  const fleet = await openLoginFleet(t, { authorization });
  const { id: engine } = await fleet.provision("anna");
  const { body: link } = await fleet.platform("POST", "/engines/anna/connections/guarded");
  t.match(await signInBy(link.url, "anna"), { text: /Signed in/ });
  const { incarnation } = (await fleet.platform("GET", "/engines/anna")).body;
  const { dataDir } = fleet.daemon;
  const tokenOf = openTokenRoad(t, { dataDir, url: fleet.publicUrl, tools: fleet.tools.url });
  const tokens = new Set([(await tokenOf({ engine, incarnation })).token]);
  for (let round = 0; round < 5; round++) {
    let uses = 0;
    authorization.before = async (request) => {
      if (request.url !== "/token") return;
      await readForm(request);
      uses++;
      // It is gone when the refresh token is used up.
      if (uses === 1) await fleet.daemon.stop("SIGKILL");
    };
    const asked = tokenOf({ engine, incarnation });
    await until("the daemon is killed", () => uses > 0);
    await fleet.restart();
    await until("the renewal has ended", async () => {
      const { body } = await fleet.platform("GET", "/engines/anna/connections");
      return Date.parse(body.data[0].expires_at) > Date.now() && body.data[0].state === "connected";
    });
    const { state, token } = await asked;
    t.equal(state, "token");
    tokens.add(token);
  }
  t.equal(tokens.size, 6, "each is new");
  t.match((await fleet.platform("GET", "/engines/anna/connections")).body.data, [{ state: "connected" }]);
});

t.test("a replica that takes over in the middle of a renewal makes no second one", async (t) => {
  const authorization = await startAuthorizationServer(t, { accessTokenS: ABOUT_TO_END_S });
  const tools = await startGuardedToolServer(t, authorization);
  const replicas = await openReplicas(t, { products: ["acme"] });
  const leader = await replicas.start();
  const follower = await replicas.start();
  const policy = { private_hosts: ["127.0.0.1"], requests_per_minute: null };
  const { body: product } = await leader.admin("/products/register", {
    method: "POST",
    body: { slug: "acme", policy },
  });
  const key: string = product.platform_api_key;
  const mcpServers = { guarded: { url: tools.url, login: "oauth" } };
  const body = await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers }) });
  await ask(leader.url, "/catalog", { method: "PUT", headers: { "x-platform-key": key }, body });
  const { body: engine } = await leader.platform(key, "/engines/provision", {
    method: "POST",
    body: { user_id: "anna" },
  });
  const { body: link } = await leader.platform(key, "/engines/anna/connections/guarded", { method: "POST" });
  t.match(await signInBy(link.url, "anna"), { text: /Signed in/ });
  const { incarnation } = (await leader.platform(key, "/engines/anna")).body;
  const tokenOf = openTokenRoad(t, { dataDir: leader.dataDir, url: follower.url, tools: tools.url });
  let uses = 0;
  authorization.before = async (request) => {
    if (request.url !== "/token") return;
    await readForm(request);
    if (++uses > 1) return;
    await leader.stop("SIGKILL");
    // The other one leads by now, and has asked for the same.
    await replicas.awaitLeader(30_000);
  };
  const first = await tokenOf({ engine: engine.id, incarnation });
  t.equal(first.state, "token");
  authorization.before = async () => undefined;
  const { refreshes, next } = { refreshes: uses, next: await tokenOf({ engine: engine.id, incarnation }) };
  t.equal(next.state, "token");
  t.not(next.token, first.token);
  t.equal(refreshes, 1);
});
