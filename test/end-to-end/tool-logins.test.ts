import t from "tap";
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
