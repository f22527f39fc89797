import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SESSION_LIMITS } from "../../src/contract/console/session-limits.ts";
import { ask } from "../helpers/api.ts";
import { signInHeaders } from "../helpers/console.ts";
import { freePort } from "../helpers/daemon.ts";
import { CLIENT, CookieJar, startIdp } from "../helpers/identity-provider.ts";
import { openFleet } from "../helpers/sleepers.ts";

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const [begin, callback] = [`${url}/console/sign-in/begin`, `${url}/console/sign-in/callback`];
const people = {
  "u-anna": { name: "Anna Example", email: "anna@example.com", email_verified: true, groups: ["staff", "platform"] },
  "u-olga": { name: "Olga", email: "olga@example.com", email_verified: true, groups: ["cn=ops,dc=example"] },
  "u-vera": { name: "Vera", email: "boss@example.com", email_verified: false, groups: "support" },
  "u-ned": { name: "Ned", groups: ["staff"] },
};
const idp = await startIdp(t, { consoleUrl: `${url}/console/`, people });
const fleet = await openFleet(t, { env: { ORCH_PORT: String(port), ...idp.env(url) } });
const anna = await fleet.provision("anna");
const refusedAs = (status: number, code: string) => ({ status, body: { error: { code } } });

/** Opens the callback in a browser that has signed in at the provider. */
async function signIn(who: string, { jar = new CookieJar(), from = begin } = {}) {
  const at = await jar.signInAs(who, from, callback);
  const answer = await jar.fetch(at);
  const cookie = [...jar.of(url)].map((pair) => pair.join("=")).join("; ");
  const call = (path: string, more: Parameters<typeof ask>[2] & { readonly product?: string } = {}) => {
    const { product, ...asked } = more;
    const own = { ...signInHeaders(url), cookie, ...(product !== undefined && { "x-orchd-product": product }) };
    return ask(url, path, { ...asked, headers: { ...own, ...asked.headers } });
  };
  return { jar, at, answer, location: answer.headers.get("location"), cookie, call };
}

t.test("a person signs in with the identity provider, and has the role of a group", async (t) => {
  t.match((await ask(url, "/console/sign-in")).body, { oidc: { issuer: idp.issuer, url: begin } });
  const admin = await signIn("u-anna", { from: `${begin}?return=${encodeURIComponent("/engines/x?tab=1")}` });
  t.equal(admin.answer.status, 303);
  t.equal(admin.location, `../#signed-in=${encodeURIComponent("/engines/x?tab=1")}`);
  t.match(admin.cookie, /^orchd_session_[\w-]{8}=orchs_\w+$/, "the cookie of the sign-in is gone");
  const record = {
    role: "admin",
    opened_by: "oidc",
    person: { subject: "u-anna", name: "Anna Example", email: "anna@example.com" },
  };
  const shown = await admin.call("/console/session");
  t.match(shown, { status: 200, body: record });
  t.equal(Date.parse(shown.body.expires_at) - Date.parse(shown.body.created_at), SESSION_LIMITS.lifetimeS * 1000);
  t.match((await fleet.daemon.admin("/admin/sessions")).body.data, [record]);
  t.match(await admin.call("/admin/drain", { method: "POST", body: {} }), { status: 200 });
  t.match(await admin.call("/admin/resume", { method: "POST", body: {} }), { status: 200 });
  const operator = await signIn("u-olga");
  t.match(await operator.call("/console/session"), { body: { role: "operator" } });
  const viewer = await signIn("u-vera");
  t.match(await viewer.call("/console/session"), { body: { role: "viewer", person: { email: null, name: "Vera" } } });
  t.match(await viewer.call("/console/session", { method: "DELETE" }), { status: 200 });
});

t.test("attack: a viewer's POST, to the daemon and to an engine", async (t) => {
  const [viewer, operator] = [await signIn("u-vera"), await signIn("u-olga")];
  const product = "sleepy";
  const post = { method: "POST", body: {} };
  const refused = refusedAs(403, "INSUFFICIENT_ROLE");
  t.match(await viewer.call("/admin/drain", post), refused);
  t.match(await viewer.call("/engines/anna/stop", { ...post, product }), refused);
  t.match(await viewer.call(`/products/sleepy/policy`, { method: "PUT", body: {} }), refused);
  const message = { method: "POST", body: { task_id: "t", message: "/say hi" } };
  t.match(await viewer.call(`/e/${anna.id}/execute`, message), { status: 403, body: { error: "INSUFFICIENT_ROLE" } });
  t.match(await viewer.call(`/e/${anna.id}/tasks`), { status: 403 });
  t.match(await operator.call("/admin/drain", post), refused);
  t.match(await operator.call("/engines/anna/sleep", { ...post, product }), { status: 200 });
  t.match(await operator.call(`/e/${anna.id}/execute/cancel`, { method: "POST", body: { task_id: "t" } }), {
    status: 200,
  });
  t.match(await operator.call(`/e/${anna.id}/memory`, { method: "DELETE" }), { status: 403 });
});

t.test("the audit log has the person of each change", async (t) => {
  const { body } = await fleet.daemon.admin("/admin/audit?limit=200");
  const lines = body.data.map(({ entry }: { entry: string }) => JSON.parse(entry));
  const by = (person: string) =>
    lines.filter((line: { person?: string }) => line.person === person).map(({ action }: { action: string }) => action);
  t.same(by("anna@example.com"), ["host.draining", "host.resumed"]);
  t.ok(by("olga@example.com").includes("engine.called"));
  t.same(by("boss@example.com"), [], "an address that is not verified names nobody");
  t.same(by("Vera"), [], "nor does a name, which people choose");
  t.same(by("u-vera"), ["session.ended"]);
  const opened = lines.find(({ detail }: { detail?: { person?: object } }) => detail?.person !== undefined);
  t.match(opened, {
    action: "session.opened",
    detail: { opened_by: "oidc", role: "admin", person: { subject: "u-anna" } },
  });
});

t.test("who is in no group of a role gets no session, nor who declines", async (t) => {
  for (const [who, problem] of [
    ["u-ned", "no_role"],
    ["nobody", "refused"],
  ] as const) {
    const { location, cookie, call } = await signIn(who);
    t.equal(location, `../#problem=${problem}`);
    t.equal(cookie, "", "no cookie is left");
    t.match(await call("/console/session"), refusedAs(401, "INVALID_SESSION"));
  }
});

t.test("a group that was removed at the provider is gone at the next sign-in", async (t) => {
  people["u-anna"].groups = ["on-call"];
  t.match(await (await signIn("u-anna")).call("/console/session"), { body: { role: "operator" } });
  people["u-anna"].groups = ["staff", "platform"];
});

t.test("attack: the state of another browser (login CSRF)", async (t) => {
  const attacker = new CookieJar();
  const at = await attacker.signInAs("u-olga", begin, callback);
  for (const [what, victim] of [
    ["no sign-in of its own", new CookieJar()],
    ["a sign-in of its own", new CookieJar()],
  ] as const) {
    if (what === "a sign-in of its own") await victim.follow(begin, `${idp.issuer}/login/`);
    const answer = await victim.fetch(at);
    t.equal(answer.headers.get("location"), "../#problem=expired", what);
    t.same([...victim.of(url)], [], "no session");
  }
  t.equal((await attacker.fetch(at)).headers.get("location"), "../#signed-in=%2F", "its own browser signs in");
});

t.test("attack: another site begins a sign-in", async (t) => {
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
    const answer = await new CookieJar().fetch(begin, { headers });
    t.match([answer.status, answer.headers.get("location")], [303, "../"]);
    t.same(answer.headers.getSetCookie(), []);
  }
});

t.test("attack: a code that was used, in the same browser and with its old cookie", async (t) => {
  const jar = new CookieJar();
  const at = await jar.signInAs("u-olga", begin, callback);
  const old = new Map(jar.of(url));
  await jar.fetch(at);
  t.equal((await jar.fetch(at)).headers.get("location"), "../#problem=expired", "its sign-in is over");
  for (const [name, value] of old) jar.of(url).set(name, value);
  t.equal((await jar.fetch(at)).headers.get("location"), "../#problem=refused", "the provider knows the code as used");
});

t.test("attack: words of another site in the log or on the page", async (t) => {
  const query = new URLSearchParams({ error: "call 555-0100 now", error_description: "your account is locked" });
  const jar = new CookieJar();
  const asked = new URL((await jar.fetch(begin)).headers.get("location") ?? "");
  query.set("state", asked.searchParams.get("state") ?? "");
  query.set("iss", idp.issuer);
  const answer = await jar.fetch(`${callback}?${query.toString()}`);
  t.equal(answer.headers.get("location"), "../#problem=refused");
  t.notMatch(fleet.daemon.output(), /555-0100|account is locked/);
});

t.test("attack: an open redirect by the return path", async (t) => {
  for (const path of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/a\r\nSet-Cookie: x=y",
  ]) {
    const { location } = await signIn("u-olga", { from: `${begin}?return=${encodeURIComponent(path)}` });
    t.match(location, /^\.\.\/#signed-in=[\w%.-]+$/, path);
    const landed = new URL(location ?? "", callback);
    t.equal(landed.origin + landed.pathname, `${url}/console/`, "the console's own page");
  }
  t.match(await ask(url, `/console/sign-in/begin?return=%00`), { status: 400 });
});

t.test("attack: session fixation: the session that a browser had is not the one it gets", async (t) => {
  const attacker = await signIn("u-vera");
  const victim = new CookieJar();
  for (const [name, value] of attacker.jar.of(url)) victim.of(url).set(name, value);
  const { cookie, call } = await signIn("u-anna", { jar: victim });
  t.not(cookie, attacker.cookie);
  t.match(await call("/console/session"), { body: { person: { subject: "u-anna" } } });
  t.match(await attacker.call("/console/session"), { body: { role: "viewer", person: { subject: "u-vera" } } });
});

t.test("attack: a frame of another site around the page or a step of the sign-in", async (t) => {
  const page = await ask(url, "/console/");
  t.match(page.headers["content-security-policy"], /frame-ancestors 'none'/);
  for (const path of ["/console/sign-in/begin", "/console/sign-in/callback?code=x&state=y"]) {
    const { status, text, headers } = await ask(url, path);
    t.equal(status, 303);
    t.equal(text, "<p>The console opens.</p>\n", "nothing to click, and nothing of the query");
    t.match(headers, { "cache-control": "no-store", "referrer-policy": "no-referrer" });
  }
});

t.test("a sign-in that began before a restart of the daemon is finished after it", async (t) => {
  const jar = new CookieJar();
  const at = await jar.signInAs("u-anna", begin, callback);
  await fleet.daemon.stop("SIGKILL");
  await fleet.restart();
  t.equal((await jar.fetch(at)).headers.get("location"), "../#signed-in=%2F");
});

t.test("signing out ends the session here, and leads to the provider's sign-out", async (t) => {
  const { jar, call } = await signIn("u-anna");
  const out = await call("/console/session", { method: "DELETE" });
  t.match(out, { status: 200, body: { ended: true }, headers: { "cache-control": "no-store" } });
  t.match(await call("/console/session"), refusedAs(401, "INVALID_SESSION"));
  const end = new URL(out.body.provider_url);
  t.equal(end.origin, idp.issuer);
  t.equal(end.searchParams.get("post_logout_redirect_uri"), `${url}/console/`);
  t.equal(end.searchParams.get("client_id"), CLIENT.id);
  t.equal(end.searchParams.get("id_token_hint")?.split(".").length, 3);
  t.equal((await jar.fetch(end.href)).status, 200, "the provider accepts it");
  const link = (await fleet.daemon.admin("/console/links", { method: "POST", body: {} })).body;
  const own = await ask(url, "/console/session", {
    method: "POST",
    headers: signInHeaders(url),
    body: { link: link.link },
  });
  const cookie = String([own.headers["set-cookie"]].flat()[0]).split(";")[0] ?? "";
  const plain = await ask(url, "/console/session", { method: "DELETE", headers: { ...signInHeaders(url), cookie } });
  t.same(plain.body, { ended: true, provider_url: null }, "others have nothing to do there");
});

t.test("a provider that is down: the page says so, the doctor too, and a link still signs in", async (t) => {
  t.match(
    (await fleet.daemon.admin("/admin/doctor")).body.checks.find(({ name }: { name: string }) => name === "sign-in"),
    {
      status: "ok",
      message: `${idp.issuer} answers, and signs people out too; it must know ${callback}`,
    },
  );
  const { call } = await signIn("u-anna");
  const jar = new CookieJar();
  const at = await jar.signInAs("u-anna", begin, callback);
  await idp.stop();
  t.equal((await jar.fetch(at)).headers.get("location"), "../#problem=unreachable");
  t.match(
    (await fleet.daemon.admin("/admin/doctor")).body.checks.find(({ name }: { name: string }) => name === "sign-in"),
    {
      status: "problem",
      message: /ECONNREFUSED/,
    },
  );
  t.equal((await jar.fetch(begin)).headers.get("location"), "../#problem=unreachable");
  t.match(await call("/console/session"), { status: 200 }, "open sessions go on");
  t.match(await call("/console/session", { method: "DELETE" }), { status: 200, body: { provider_url: null } });
  const { body } = await fleet.daemon.admin("/console/links", { method: "POST", body: {} });
  const opened = await ask(url, "/console/session", {
    method: "POST",
    headers: signInHeaders(url),
    body: { link: body.link },
  });
  t.match(opened, { status: 201, body: { opened_by: "link", person: null } });
});

await anna.post("start");
t.test("no sink has the client's secret, a code, a token or a cookie", async (t) => {
  const sinks = [
    fleet.daemon.output(),
    (await fleet.daemon.admin("/metrics")).text,
    (await fleet.daemon.admin("/admin/audit?limit=200")).text,
    (await fleet.daemon.admin("/admin/events?limit=200")).text,
    (await fleet.daemon.admin("/admin/doctor")).text,
    (await fleet.daemon.admin("/admin/sessions")).text,
    readFileSync(`/proc/${(await anna.show()).pid as number}/environ`, "latin1"),
    ...filesBelow(fleet.daemon.dataDir).map((file) => readFileSync(file, "latin1")),
  ].join("\n");
  t.match(fleet.daemon.output(), /refused a sign-in to the console/);
  for (const outcome of ["opened", "unreachable"])
    t.match(sinks, new RegExp(`orch_console_sign_ins_total\\{outcome="${outcome}"\\} [1-9]`));
  t.notMatch(sinks, new RegExp(`${CLIENT.secret}|orchs_|eyJ[\\w-]+\\.eyJ|code=|code_verifier`));
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
