import t from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { SESSION_LIMITS, SESSION_ROLES, includesRole } from "../../src/contract/console/session-limits.ts";
import { ENGINE_ROUTES, type EngineRoute } from "../../src/contract/engine/routes.ts";
import { ORCHESTRATOR_ROUTES } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import { ask } from "../helpers/api.ts";
import { openConsole, signInHeaders } from "../helpers/console.ts";
import { openStream } from "../helpers/engine.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t);
const { daemon } = fleet;
const anna = await fleet.provision("anna");
const console = await openConsole(daemon);
const asRole = (role: string) => openConsole(daemon, { admin_key: daemon.adminKey, role });
const [viewer, operator] = [await asRole("viewer"), await asRole("operator")];
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

const outcomes = [
  ["viewer", viewer],
  ["operator", operator],
] as const;
const needs = (role: string) => ({ error: { code: "INSUFFICIENT_ROLE", message: `the call needs the role ${role}` } });

t.test("a role does what its row of the route table says, and no more: every route of the daemon", async (t) => {
  const product = "sleepy";
  const pathOf = (path: string) => path.replace("{engine_id}", "eng_none").replaceAll(/\{\w+\}/g, "x");
  for (const [name, route] of Object.entries<Route>(ORCHESTRATOR_ROUTES)) {
    const { method, path, role } = route;
    // Neither signs the session out, nor makes an engine of a user "x".
    if (role === undefined || name === "signOut" || name === "showEngine") continue;
    const query = name === "waitForEngine" ? "?timeout_s=0" : "";
    for (const [own, session] of outcomes) {
      const answer = await session.call(`${pathOf(path)}${query}`, { method, product });
      const isAllowed = includesRole(own, role);
      if (isAllowed) t.notOk([401, 403].includes(answer.status), `${own}, ${name}: ${answer.status}`);
      else t.match(answer, { status: 403, body: needs(role) }, `${own}, ${name}`);
    }
  }
  t.match(await viewer.call("/engines/anna", { product }), { status: 200 });
  t.match(await viewer.call("/engines/zoe?auto_provision=true", { product }), { status: 403, body: needs("operator") });
  for (const session of [console, operator, viewer])
    t.match(
      await session.call("/console/links", { method: "POST", body: {} }),
      refusedAs(401, "INVALID_ADMIN_KEY"),
      "a link needs the key",
    );
});

t.test("a role does what its row of the route table says, and no more: every route of an engine", async (t) => {
  for (const [name, { method, path, role, auth }] of Object.entries<EngineRoute>(ENGINE_ROUTES))
    for (const [own, session] of outcomes) {
      const answer = await session.call(`${through}${path}`, { method });
      if (auth === "control") t.equal(answer.status, 404, name);
      else if (role === undefined || includesRole(own, role))
        t.notOk([401, 403].includes(answer.status), `${own}, ${name}: ${answer.status}`);
      else t.match(answer, { status: 403, body: { error: "INSUFFICIENT_ROLE" } }, `${own}, ${name}`);
    }
});

t.test("a viewer reads nothing that users wrote, however the path is spelled", async (t) => {
  const spellings = ["/execute/replay", "/EXECUTE/Replay/", "//execute/replay", "/%65xecute/replay", "/turns/../tasks"];
  for (const path of [...spellings, "/tasks", "/turns", "/memory/knowledge", "/tasks/%2e%2e/messages", "/nothing"])
    for (const method of ["GET", "HEAD"]) {
      const { status } = await viewer.call(through + path, { method });
      t.equal(status, 403, `${method} ${path}`);
    }
});

t.test("a session has one of three roles, each with what those before it may do", async (t) => {
  t.same(SESSION_ROLES, ["viewer", "operator", "admin"]);
  t.match(viewer.record, { role: "viewer", person: null });
  for (const role of ["read_only", "root", "Admin", "", null, ["admin"]])
    t.match(await signIn({ admin_key: daemon.adminKey, role }), refusedAs(400, "INVALID_REQUEST"), String(role));
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
  const link = await newLink("viewer");
  const answers = await Promise.all([signIn({ link }), signIn({ link }), signIn({ link })]);
  t.same(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 401, 401],
  );
  t.match(answers.find(({ status }) => status === 201)?.body, { role: "viewer", opened_by: "link" });
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
  const out = await viewer.call("/console/session", { method: "DELETE" });
  t.match(out, { status: 200, body: { ended: true } });
  t.match([out.headers["set-cookie"]].flat()[0], /=; Max-Age=0; /);
  t.match(await viewer.call("/console/session"), refusedAs(401, "INVALID_SESSION"));
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
