import t from "tap";
import { CookieJar } from "../helpers/identity-provider.ts";
import { startGuardedToolServer } from "../helpers/guarded-tool-server.ts";
import { agreed, open, openLoginFleet, pushServers, signInBy, toCallback } from "../helpers/tool-logins.ts";
import { until } from "../helpers/until.ts";

const fleet = await openLoginFleet(t);
const linkFor = async (user: string): Promise<string> => {
  const { status, body, text } = await fleet.platform("POST", `/engines/${user}/connections/guarded`);
  if (status !== 201) throw new Error(text);
  return body.url;
};
const connectionsOf = async (user: string) => (await fleet.platform("GET", `/engines/${user}/connections`)).body.data;
await fleet.provision("anna");
await fleet.provision("mallory");

t.test("confused deputy: no link of another site skips the page that says who gets access to what", async (t) => {
  const link = await linkFor("mallory");
  const [mallory, victim] = [new CookieJar(), new CookieJar()];
  const skipping = await agreed(link, mallory);
  for (const [title, url] of [
    ["the bare link", link],
    ["with the agreement of another browser", skipping],
    ["with an invented agreement", `${link}&go=x`],
  ] as const) {
    const page = await open(url, victim);
    t.match(page, { status: 200, text: /This link is for the user mallory/ }, title);
  }
  const answer = await fetch(link);
  t.match(answer.headers.get("content-security-policy"), /frame-ancestors 'none'/, "and no frame hides it");
  t.equal(answer.headers.get("referrer-policy"), "no-referrer", "the link is told to nobody");
});

t.test("state of another user: a callback counts only in the browser that it was begun in", async (t) => {
  const jar = new CookieJar();
  const callback = await toCallback(await linkFor("mallory"), "mallory@example.com", jar);
  t.match(await open(callback, new CookieJar()), { status: 200, text: /No login/ }, "in a browser without a login");
  const victim = new CookieJar();
  await toCallback(await linkFor("anna"), "anna@example.com", victim);
  t.match(await open(callback, victim), { text: /No login/ }, "in a browser with a login of its own");
  t.same(await connectionsOf("anna"), []);
  t.same(await connectionsOf("mallory"), []);
});

t.test("state replay: a callback counts once, and an invented state never", async (t) => {
  const jar = new CookieJar();
  const callback = await toCallback(await linkFor("anna"), "anna@example.com", jar);
  const invented = new URL(callback);
  invented.searchParams.set("state", "invented");
  t.match(await open(invented.href, jar), { text: /No login/ });
  const pages = await Promise.all([open(callback, jar), open(callback, jar)]);
  t.equal(pages.filter(({ text }) => text.includes("Signed in")).length, 1, "also of two at once");
  t.match(await open(callback, jar), { text: /No login/ });
  t.match(await connectionsOf("anna"), [{ state: "connected" }]);
});

t.test("open redirect: no parameter leads anywhere but to the authorization server", async (t) => {
  const link = await linkFor("anna");
  const jar = new CookieJar();
  const go = new URL(await agreed(link, jar));
  for (const name of ["return", "redirect", "redirect_uri", "url", "next"])
    go.searchParams.set(name, "https://evil.example.com");
  const sent = await jar.fetch(go.href);
  t.equal(sent.status, 303);
  const location = new URL(sent.headers.get("location") ?? "");
  t.equal(location.origin, fleet.authorization.issuer);
  t.equal(location.searchParams.get("redirect_uri"), `${fleet.publicUrl}/oauth/callback`);
  const back = await jar.fetch(`${fleet.publicUrl}/oauth/callback?error=x&redirect=https://evil.example.com`);
  t.equal(back.headers.get("location"), null);
});

t.test("injection: what a catalog or a product has named is text of the page", async (t) => {
  const name = "<img src=x onerror=alert(1)>";
  await pushServers(fleet, { [name]: { url: fleet.tools.url, login: "oauth" } });
  const made = await until("the engine knows it", async () => {
    const answer = await fleet.platform("POST", `/engines/anna/connections/${encodeURIComponent(name)}`);
    return answer.status === 201 ? answer : null;
  });
  const { text } = await open(made.body.url, new CookieJar());
  t.notMatch(text, "<img");
  t.match(text, "&lt;img src=x");
});

t.test("token of one server sent to another: a server that takes the name of another gets no token", async (t) => {
  const entry = { login: "oauth", permissions: { "*": "allow" } };
  await pushServers(fleet, { guarded: { url: fleet.tools.url, ...entry } });
  const ben = await fleet.provision("ben");
  await signInBy(await linkFor("ben"), "ben@example.com");
  await until("it is connected", async () => (await ben.call("/assets/servers")).body.servers[0]?.status === "ready");
  t.ok(fleet.tools.tokens.length > 0);
  const evil = await startGuardedToolServer(t, fleet.authorization);
  await pushServers(fleet, { guarded: { url: evil.url, ...entry } });
  await until(
    "a login is needed",
    async () => (await ben.call("/assets/servers")).body.servers[0]?.status === "needs_login",
  );
  t.same(evil.tokens, []);
  t.equal(evil.calls, 0, "it is not even called");
  const sameHost = new URL("/other", fleet.tools.url).href;
  await pushServers(fleet, { guarded: { url: sameHost, ...entry } });
  await until(
    "a login is needed",
    async () => (await ben.call("/assets/servers")).body.servers[0]?.status === "needs_login",
  );
});

t.test("no token, client or state is in a log, an event, or an answer of the interface", async (t) => {
  const [, token = ""] = /^Bearer (.+)$/.exec(fleet.tools.tokens.at(-1) ?? "") ?? [];
  t.ok(token.length > 20);
  const events = await fleet.platform("GET", "/events?limit=200");
  const shown = [fleet.daemon.output(), events.text, (await fleet.platform("GET", "/engines/ben/connections")).text];
  for (const text of shown) t.notMatch(text, token);
  t.match(
    events.body.data.map(({ type }: { type: string }) => type),
    { length: events.body.data.length },
  );
  t.ok(events.text.includes("secret.connected"));
});
