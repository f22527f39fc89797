import t from "tap";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { ask } from "../helpers/api.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { startGuardedToolServer } from "../helpers/guarded-tool-server.ts";
import { CookieJar } from "../helpers/identity-provider.ts";
import { openReplicas } from "../helpers/replicas.ts";
import {
  agreed,
  loginQuestion,
  open,
  openLoginFleet,
  resultsOf,
  signInBy,
  toCallback,
} from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";
import { engineProcesses } from "../faults/parts/engine-processes.ts";

const SIGN_IN = "/tool mcp__guarded__sign_in {}\n/say done";

t.test("a turn that waits for a login goes on after kill -9 of its engine and of the daemon", async (t) => {
  const fleet = await openLoginFleet(t);
  const anna = await fleet.provision("anna");
  const left = await anna.execute("t1", SIGN_IN);
  const question = await loginQuestion(anna);
  left.cut();
  const killEngine = () => {
    for (const { pid, engineId } of engineProcesses(fleet.daemon.dataDir))
      if (engineId === anna.id) process.kill(pid, "SIGKILL");
  };
  killEngine();
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  await anna.isIn("running");
  t.match(await loginQuestion(anna), question, "the same question, with the same link");
  const jar = new CookieJar();
  const callback = await toCallback(question.context.url, "anna@example.com", jar);
  // Between the two halves of the login, and with the engine gone.
  await fleet.daemon.stop("SIGKILL");
  killEngine();
  await fleet.restart();
  t.match(await open(callback, jar), { text: /Signed in/ });
  await until("the turn has ended", async () => (await resultsOf(anna, "t1").catch(() => [])).length === 1);
  t.match(await resultsOf(anna, "t1"), [{ output: { signed_in: true }, error: null }]);
});

t.test("a daemon that is killed after the callback has answered still tells the engine", async (t) => {
  const fleet = await openLoginFleet(t);
  const ben = await fleet.provision("ben");
  const left = await ben.execute("t1", SIGN_IN);
  const question = await loginQuestion(ben);
  left.cut();
  await ben.sleep();
  t.match(await signInBy(question.context.url, "ben@example.com"), { text: /Signed in/ });
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  await until("the turn has ended", async () => {
    const { state } = await ben.show();
    return state === "running" && (await resultsOf(ben, "t1").catch(() => [])).length === 1;
  });
  t.match(await resultsOf(ben, "t1"), [{ error: null }]);
});

t.test("a login works through a replica that does not lead", async (t) => {
  const authorization = await startAuthorizationServer(t);
  const tools = await startGuardedToolServer(t, authorization);
  const publicUrl = "http://agents.invalid";
  const replicas = await openReplicas(t, { products: ["acme"], env: { ORCH_PUBLIC_URL: publicUrl } });
  const leader = await replicas.start();
  const follower = await replicas.start();
  const policy = { private_hosts: ["127.0.0.1"], requests_per_minute: null };
  const { body: product } = await leader.admin("/products/register", {
    method: "POST",
    body: { slug: "acme", policy },
  });
  const key = product.platform_api_key as string;
  const mcpServers = { guarded: { url: tools.url, login: "oauth" } };
  const body = await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers }) });
  const headers = { "x-platform-key": key };
  t.equal((await ask(leader.url, "/catalog", { method: "PUT", headers, body })).status, 200);
  await follower.platform(key, "/engines/provision", { method: "POST", body: { user_id: "anna" } });
  const made = await follower.platform(key, "/engines/anna/connections/guarded", { method: "POST" });
  t.equal(made.status, 201, made.text);
  const here = (url: string) => url.replace(publicUrl, follower.url);
  const jar = new CookieJar();
  const go = await agreed(here(made.body.url), jar);
  const callback = await jar.signInAs("anna@example.com", go, `${publicUrl}/oauth/callback`);
  t.match(await open(here(callback), jar), { status: 200, text: /Signed in/ });
  const { body: list } = await follower.platform(key, "/engines/anna/connections");
  t.match(list.data, [{ server: "guarded", state: "connected" }]);
});
