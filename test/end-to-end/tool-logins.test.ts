import type { Configuration } from "oidc-provider";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { startAuthorizationServer } from "../helpers/authorization-server.ts";
import { freePort } from "../helpers/daemon.ts";
import { agreed, loginQuestion, open, openLoginFleet, resultsOf, signInBy } from "../helpers/tool-logins.ts";
import { CookieJar } from "../helpers/identity-provider.ts";
import { until } from "../helpers/until.ts";

t.test("a turn waits for the user's login at a tool server, and goes on by itself", async (t) => {
  const fleet = await openLoginFleet(t);
  const anna = await fleet.provision("anna");
  await until("the login is needed", async () => {
    const { body } = await anna.call("/assets/servers");
    return body.servers[0]?.status === "needs_login";
  });
  const stream = await anna.execute("t1", "/tool mcp__guarded__sign_in {}\n/say done");
  const question = await loginQuestion(anna);
  t.match(question, {
    kind: "login",
    context: { server: "guarded", allow_free_text: false },
    options: ["signed_in", "refused"],
  });
  t.ok(question.context.url.startsWith(`${fleet.publicUrl}/oauth/start?login=`));
  t.match(await signInBy(question.context.url, "anna@example.com"), { status: 200, text: /Signed in to guarded/ });
  await stream.all();
  t.match(await resultsOf(anna, "t1"), [{ output: { signed_in: true, tools: ["mcp__guarded__whoami"] }, error: null }]);

  await (await anna.execute("t2", "/tool mcp__guarded__whoami {}\n/say done")).all();
  t.match(await resultsOf(anna, "t2"), [{ output: "you are anna@example.com", error: null }]);
  const { body } = await fleet.platform("GET", "/engines/anna/connections");
  t.match(body.data, [
    { server: "guarded", url: fleet.tools.url, state: "connected", issuer: fleet.authorization.issuer },
  ]);
  t.match(await open(question.context.url, new CookieJar()), { text: /no longer valid/ }, "the link counts once");

  const deleted = await fleet.platform("DELETE", "/engines/anna/connections/guarded");
  t.match(deleted, { status: 200, body: { deleted: true, revoked: true } });
  const [, token = ""] = /^Bearer (.+)$/.exec(fleet.tools.tokens.at(-1) ?? "") ?? [];
  t.equal(await fleet.authorization.lookUp(token), null, "ended there too");
  t.match(await fleet.platform("DELETE", "/engines/anna/connections/guarded"), {
    status: 404,
    body: { error: { code: "CONNECTION_NOT_FOUND" } },
  });
});

t.test("an engine that sleeps while it waits for a login is woken by it, and a user may refuse", async (t) => {
  const fleet = await openLoginFleet(t);
  const ben = await fleet.provision("ben");
  const signIn = "/tool mcp__guarded__sign_in {}\n/say done";
  await until(
    "the login is needed",
    async () => (await ben.call("/assets/servers")).body.servers[0]?.status === "needs_login",
  );
  const left = await ben.execute("t1", signIn);
  const question = await loginQuestion(ben);
  left.cut();
  await ben.sleep();
  await signInBy(question.context.url, "ben@example.com");
  await ben.isIn("running");
  await until("its turn has ended", async () => (await resultsOf(ben, "t1")).length === 1);
  t.match(await resultsOf(ben, "t1"), [{ error: null }]);

  const cora = await fleet.provision("cora");
  await until(
    "the login is needed",
    async () => (await cora.call("/assets/servers")).body.servers[0]?.status === "needs_login",
  );
  const stream = await cora.execute("t1", signIn);
  const asked = await loginQuestion(cora);
  const jar = new CookieJar();
  t.match(await open(await agreed(asked.context.url, jar, "refuse"), jar), { text: /Not signed in/ });
  await stream.all();
  t.match(await resultsOf(cora, "t1"), [{ error: /does not want to sign in/ }]);
});

t.test("a login without a turn begins by a call of the product", async (t) => {
  const fleet = await openLoginFleet(t);
  const anna = await fleet.provision("anna");
  t.match(await fleet.platform("POST", "/engines/anna/connections/unknown"), { status: 404 });
  const { status, body } = await fleet.platform("POST", "/engines/anna/connections/guarded");
  t.equal(status, 201);
  t.match(await signInBy(body.url, "anna@example.com"), { text: /Signed in/ });
  await until(
    "the server is connected",
    async () => (await anna.call("/assets/servers")).body.servers[0]?.status === "ready",
  );
  await (await anna.execute("t1", "/tool mcp__guarded__whoami {}\n/say done")).all();
  t.match(await resultsOf(anna, "t1"), [{ output: "you are anna@example.com", error: null }]);
});

t.test(
  "a client that is registered already authenticates with its secret of the vault, and sends it nowhere else",
  async (t) => {
    const port = await freePort();
    const client = {
      client_id: "orchd-app",
      client_secret: "the-secret-of-the-client",
      redirect_uris: [`http://127.0.0.1:${port}/oauth/callback`],
      token_endpoint_auth_method: "client_secret_basic" as const,
    };
    const change = (configuration: Configuration) => ({ ...configuration, clients: [client] });
    const authorization = await startAuthorizationServer(t, { change, accessTokenS: 30 });
    const oauth = { client_id: client.client_id, client_secret: "${secret:APP}" };
    const fleet = await openLoginFleet(t, { port, authorization, oauth });
    const anna = await fleet.provision("anna");
    const setSecret = (hosts: readonly string[]) =>
      fleet.daemon.admin("/products/sleepy/secrets/APP", {
        method: "PUT",
        body: { value: client.client_secret, hosts },
      });
    const signIn = async () => {
      const { body } = await fleet.platform("POST", "/engines/anna/connections/guarded");
      return signInBy(body.url, "anna@example.com");
    };
    t.match(await signIn(), { text: /No login/ }, "without the secret");
    t.equal((await setSecret(["elsewhere.example.com"])).status, 200);
    authorization.called.length = 0;
    t.match(await signIn(), { text: /No login/ }, "a secret for other hosts");
    t.notOk(authorization.called.includes("/token"), "it was not sent");
    t.equal((await setSecret([`127.0.0.1:${authorization.port}`])).status, 200);
    t.match(await signIn(), { text: /Signed in/ });
    t.notOk(authorization.called.includes("/reg"), "no client was registered");
    await until(
      "the server is connected",
      async () => (await anna.call("/assets/servers")).body.servers[0]?.status === "ready",
    );
    await (await anna.execute("t1", "/tool mcp__guarded__whoami {}\n/say done")).all();
    t.match(await resultsOf(anna, "t1"), [{ output: "you are anna@example.com", error: null }], "renewed with it too");
    t.match((await fleet.daemon.admin("/metrics")).text, /orch_login_refreshes_total\{outcome="renewed"\} [1-9]/);
  },
);

t.test("a user's own browser lists, begins and ends logins, with the scope for it alone", async (t) => {
  const fleet = await openLoginFleet(t);
  await fleet.provision("anna");
  await fleet.provision("ben");
  const tokenOf = async (user: string, scope: string) =>
    (await fleet.platform("POST", `/engines/${user}/tokens`, { scope })).body.token as string;
  const call = async (token: string, method: "GET" | "POST" | "DELETE", path = "") =>
    ask(fleet.publicUrl, `/me/connections${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  const anna = await tokenOf("anna", "connections");
  const made = await call(anna, "POST", "/guarded");
  t.equal(made.status, 201, made.text);
  t.match(await signInBy(made.body.url, "anna@example.com"), { text: /Signed in/ });
  t.match(await call(anna, "GET"), { status: 200, body: { data: [{ server: "guarded", state: "connected" }] } });
  t.match(await call(await tokenOf("ben", "connections"), "GET"), { status: 200, body: { data: [] } }, "not another's");
  t.match(await call(await tokenOf("anna", "turns"), "GET"), { status: 403, body: { error: "INSUFFICIENT_SCOPE" } });
  t.match(await call(anna, "POST", "/unknown"), { status: 404 });
  t.match(await call(anna, "DELETE", "/guarded"), { status: 200, body: { deleted: true } });
  t.match(await call(anna, "DELETE", "/guarded"), { status: 404 });
});
