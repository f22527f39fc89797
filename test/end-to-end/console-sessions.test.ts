import t from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { SESSION_LIMITS } from "../../src/contract/console/session-limits.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../../src/contract/engine/routes.ts";
import { ORCHESTRATOR_ROUTES } from "../../src/contract/orchestrator/routes.ts";
import { type Route, isReadOnly, takesSession } from "../../src/contract/orchestrator/routes/route-row.ts";
import { ask } from "../helpers/api.ts";
import { openConsole, signInHeaders } from "../helpers/console.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t);
const { daemon } = fleet;
const anna = await fleet.provision("anna");
const console = await openConsole(daemon);
const reader = await openConsole(daemon, { admin_key: daemon.adminKey, role: "read_only" });
const through = `/e/${anna.id}`;
const refusedAs = (status: number, code: string) => ({ status, body: { error: { code } } });

t.test("a session's calls of an engine keep within Node.js's limit of listeners", async (t) => {
  t.match(await console.call(`${through}/hitl/pending`), { status: 200 });
  t.match(await console.call("/engines/anna/logs?tail=5", { product: "sleepy" }), { status: 200 });
  t.notMatch(daemon.output(), /MaxListenersExceededWarning/);
});

const newLink = async (role = "admin"): Promise<string> =>
  (await daemon.admin("/console/links", { method: "POST", body: { role } })).body.link;
const signIn = (body: object, headers = signInHeaders(daemon.url)) =>
  ask(daemon.url, "/console/session", { method: "POST", headers, body });

t.test("a session authenticates as admin and as every product that its calls name", async (t) => {
  t.match(console.record, { id: /^ses_/, role: "admin", opened_by: "admin_key", is_current: true });
  t.match(await console.call("/console/session"), { status: 200, body: { id: console.record.id } });
  t.match(await console.call("/admin/status"), { status: 200, body: { draining: false } });
  const shown = await console.call("/engines/anna", { product: "sleepy" });
  t.match(shown, { status: 200, body: { id: anna.id } });
  t.match(await console.call("/engines/anna"), refusedAs(400, "INVALID_REQUEST"), "no product named");
  t.match(await console.call("/engines/anna", { product: "other" }), refusedAs(404, "PRODUCT_NOT_FOUND"));
  const rotate = { method: "POST", body: { grace_s: 600 }, product: "sleepy" };
  t.match(await console.call("/engines/anna/rotate-key", rotate), { status: 200, body: { engine_api_key: /^sk-/ } });
});

t.test("the cookie is for this origin's page alone and the table has its hash", async (t) => {
  const answer = await signIn({ admin_key: daemon.adminKey });
  const [cookie = ""] = [answer.headers["set-cookie"]].flat();
  t.match(cookie, /^orchd_session_[\w-]{8}=orchs_\w{38}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  t.equal(answer.headers["cache-control"], "no-store");
  t.notMatch(answer.text, /orchs_/, "the page never sees the token");
});

t.test("the cookie alone authenticates nothing, and no other site can use it", async (t) => {
  const cookie = { cookie: console.cookie };
  t.match(await ask(daemon.url, "/admin/status", { headers: cookie }), refusedAs(401, "INVALID_ADMIN_KEY"));
  const form = { ...cookie, "content-type": "text/plain", origin: "https://evil.example" };
  t.match(
    await ask(daemon.url, "/admin/drain", { method: "POST", headers: form, body: "{}" }),
    refusedAs(401, "INVALID_ADMIN_KEY"),
  );
  t.match(await ask(daemon.url, `${through}/hitl/pending`, { headers: cookie }), {
    status: 401,
    body: { error: "INVALID_ENGINE_KEY" },
  });
  const foreign = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { host: "evil.example" },
  ];
  for (const headers of foreign) {
    const what = JSON.stringify(headers);
    t.match(await console.call("/admin/status", { headers }), refusedAs(400, "INVALID_REQUEST"), what);
    t.match(
      await console.call(`${through}/hitl/pending`, { headers }),
      { status: 400, body: { error: "INVALID_REQUEST" } },
      what,
    );
    t.match(
      await signIn({ admin_key: daemon.adminKey }, { ...signInHeaders(daemon.url), ...headers }),
      refusedAs(400, "INVALID_REQUEST"),
      what,
    );
  }
  const bare = { ...cookie, "x-orchd-console": "1" };
  t.match(
    await ask(daemon.url, "/admin/drain", { method: "POST", headers: bare, body: {} }),
    refusedAs(400, "INVALID_REQUEST"),
    "no Origin",
  );
  t.match(
    await signIn({ admin_key: daemon.adminKey }, { origin: new URL(daemon.url).origin }),
    refusedAs(400, "INVALID_REQUEST"),
    "no header",
  );
  const preflight = { origin: "https://evil.example", "access-control-request-headers": "x-orchd-console" };
  const asked = await ask(daemon.url, "/admin/drain", { method: "OPTIONS", headers: preflight });
  t.equal(asked.headers["access-control-allow-origin"], undefined);
  t.match((await daemon.admin("/admin/status")).body, { draining: false }, "nothing was changed");
});

t.test("a session that may only read changes nothing: every route of the daemon", async (t) => {
  const product = "sleepy";
  const pathOf = (path: string) => path.replace("{engine_id}", anna.id).replaceAll(/\{\w+\}/g, "x");
  for (const [name, route] of Object.entries<Route>(ORCHESTRATOR_ROUTES)) {
    if (!takesSession(route) || name === "signOut") continue;
    const query = name === "waitForEngine" ? "?timeout_s=0" : "";
    const { method, path } = route;
    const answer = await reader.call(`${pathOf(path)}${query}`, { method, product });
    if (isReadOnly(route)) t.notOk([401, 403].includes(answer.status), `${name} is read: ${answer.status}`);
    else t.match(answer, refusedAs(403, "READ_ONLY_SESSION"), name);
    for (const [flag, parameter] of Object.entries(route.query ?? {})) {
      if (parameter.kind !== "flag" || parameter.changes !== true) continue;
      const changing = await reader.call(`${pathOf(path)}?${flag}=true`, { method, product });
      t.match(changing, refusedAs(403, "READ_ONLY_SESSION"), `${name} with ${flag}`);
    }
  }
  t.match(
    await console.call("/console/links", { method: "POST", body: {} }),
    refusedAs(401, "INVALID_ADMIN_KEY"),
    "a link needs the key",
  );
});

t.test("a session that may only read changes nothing: every route of an engine", async (t) => {
  for (const [name, { method, path, auth }] of Object.entries<EngineRoute>(ENGINE_ROUTES)) {
    const answer = await reader.call(`${through}${path}`, { method });
    if (auth === "control") t.equal(answer.status, 404, name);
    else if (method === "GET") t.notOk([401, 403].includes(answer.status), `${name} is read: ${answer.status}`);
    else t.match(answer, { status: 403, body: { error: "READ_ONLY_SESSION" } }, name);
  }
});

t.test("engines answer a session through the daemon, which adds its own key", async (t) => {
  const headers = { ...signInHeaders(daemon.url), cookie: console.cookie };
  const fetchAsPage: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...headers, ...(init?.headers as object) } });
  const client = createEngineClient({ url: daemon.url + through, session: true, fetch: fetchAsPage });
  const turn = client.execute({ taskId: "play", message: "/say hello console" });
  t.match((await turn.result()).text, /hello console/);
  await anna.sleep();
  t.same(await client.pending(), [], "it wakes the engine");
  t.equal((await anna.isIn("running")).awake.woken_by, "call");
  const docs = await console.call(`${through}/docs`);
  t.match(docs.headers["content-security-policy"], /, sandbox$/, "an engine's page runs no script in this origin");
  t.equal(docs.headers["x-content-type-options"], "nosniff");
});

t.test("the audit log names the session of each change", async (t) => {
  await console.call("/engines/anna/sleep", { method: "POST", body: {}, product: "sleepy" });
  await console.call(`${through}/execute/cancel`, { method: "POST", body: { task_id: "none" } });
  const { body } = await console.call("/admin/audit?limit=200");
  const entries = body.data.map(({ entry }: { entry: string }) => JSON.parse(entry));
  const own = entries.filter(({ session }: { session?: string }) => session === console.record.id);
  t.match(
    own.find(({ action }: { action: string }) => action === "engine.key_rotated"),
    { actor: "admin" },
  );
  const called = own.find(
    ({ action, detail }: { action: string; detail: { path: string } }) =>
      action === "engine.called" && detail.path === "/execute/cancel",
  );
  t.match(called, { actor: "admin", engine_id: anna.id, detail: { method: "POST" } });
  t.match(
    entries.find(({ detail }: { detail?: { session?: string } }) => detail?.session === console.record.id),
    { action: "session.opened" },
  );
});

t.test("a one-time link opens one session, with its own role", async (t) => {
  const link = await newLink("read_only");
  const answers = await Promise.all([signIn({ link }), signIn({ link }), signIn({ link })]);
  t.same(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 401, 401],
  );
  t.match(answers.find(({ status }) => status === 201)?.body, { role: "read_only", opened_by: "link" });
  t.match(await signIn({ link }), refusedAs(401, "INVALID_LINK"));
  t.match(await signIn({ link: await newLink(), role: "admin" }), refusedAs(400, "INVALID_REQUEST"));
  t.match(await signIn({}), refusedAs(400, "INVALID_REQUEST"));
  const { body } = await daemon.admin("/console/links", { method: "POST", body: {} });
  t.match(body, { role: "admin", url: `/console/#link=${body.link}` });
  t.ok(Date.parse(body.expires_at) - Date.now() <= SESSION_LIMITS.linkS * 1000);
});

t.test("a session that is ended is refused at once, and its streams end", async (t) => {
  const other = await openConsole(daemon);
  const headers = { ...signInHeaders(daemon.url), cookie: other.cookie };
  const events = await openStream(daemon.url, "/admin/events", {
    headers: { ...headers, accept: "text/event-stream" },
    method: "GET",
  });
  const replay = await openStream(daemon.url, `${through}/execute/replay?follow=true`, {
    headers: { ...headers, accept: "text/event-stream" },
    method: "GET",
  });
  t.same([events.status, replay.status], [200, 200]);
  const { body } = await console.call("/admin/sessions");
  t.match(
    body.data.find(({ id }: { id: string }) => id === other.record.id),
    { is_current: false, role: "admin" },
  );
  t.match(await console.call(`/admin/sessions/${other.record.id}`, { method: "DELETE" }), {
    status: 200,
    body: { ended: true },
  });
  t.match(await other.call("/admin/status"), refusedAs(401, "INVALID_SESSION"));
  t.match(await other.call(`${through}/hitl/pending`), { status: 401, body: { error: "INVALID_ENGINE_KEY" } });
  t.match(
    await console.call(`/admin/sessions/${other.record.id}`, { method: "DELETE" }),
    refusedAs(404, "SESSION_NOT_FOUND"),
  );
  await until("the streams have ended", () => events.ended && replay.ended);
});

t.test("sessions outlive the daemon, and signing out ends one", async (t) => {
  await daemon.stop();
  const next = await fleet.restart({ ORCH_PORT: new URL(daemon.url).port });
  t.equal((await console.call("/admin/status")).status, 200);
  const out = await reader.call("/console/session", { method: "DELETE" });
  t.match(out, { status: 200, body: { ended: true } });
  t.match([out.headers["set-cookie"]].flat()[0], /=; Max-Age=0; /);
  t.match(await reader.call("/console/session"), refusedAs(401, "INVALID_SESSION"));
  t.notMatch(next.output() + daemon.output(), /orchs_|orchl_/, "no log has a token");
});

t.test("guesses of one address are bounded", async (t) => {
  const guess = () => signIn({ admin_key: "wrong" });
  const { failedSignIns } = SESSION_LIMITS;
  const answers = await Promise.all(Array.from({ length: failedSignIns + 20 }, guess));
  t.equal(answers.filter(({ status }) => status === 401).length, failedSignIns);
  t.equal(answers.filter(({ status }) => status === 429).length, 20);
  const { status, headers } = await signIn({ admin_key: daemon.adminKey });
  t.equal(status, 429, "the right key too, until the minute is over");
  t.ok(Number(headers["retry-after"]) <= 60);
  t.match(await signIn({ admin_key: "x".repeat(5000) }), refusedAs(413, "PAYLOAD_TOO_LARGE"));
  t.equal((await console.call("/admin/status")).status, 200, "open sessions go on");
});
