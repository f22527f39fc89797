import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import pg from "pg";
import t, { type Test } from "tap";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t);
const platform = (method: string, path: string, body?: object) => fleet.platform(method, path, body);

interface Message {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly data: { readonly id: string; readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A service of the product. It answers by path: `/hang` never, a number with this status. */
async function startService(t: Test) {
  const messages: Message[] = [];
  const statuses = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url: path = "", headers } = request;
    messages.push({ path, headers, body, data: JSON.parse(body) });
    if (path === "/hang") return;
    response.writeHead(statuses.get(path) ?? 204).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const of = (path: string) => messages.filter((message) => message.path === path);
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, messages, of, statuses };
}

const service = await startService(t);
await fleet.setPolicy({ private_hosts: [service.host] });

async function endpoint(path: string, events: readonly string[], more: object = {}) {
  const { status, body } = await platform("POST", "/notifications/endpoints", {
    url: service.url + path,
    events,
    ...more,
  });
  t.equal(status, 201);
  return body;
}
const show = async (id: string) => (await platform("GET", `/notifications/endpoints/${id}`)).body;
const deliveries = async (id: string, query = "") =>
  (await platform("GET", `/notifications/endpoints/${id}/deliveries${query}`)).body.data;
const sql = async (statement: string, values: readonly unknown[] = []) => {
  const database = new pg.Client(fleet.databaseUrl);
  await database.connect();
  await database.query(statement, [...values]);
  await database.end();
};

t.test("a product is told of events, by messages that the field's own library verifies", async (t) => {
  const made = await endpoint("/ok", ["engine.provisioned", "engine.running", "engine.stopped"]);
  t.match(made, { id: /^nep_/, secret: /^whsec_/, enabled: true, pending: 0, dead: 0 });
  const anna = await fleet.provision("anna");
  await anna.post("stop", { force: true });
  await until("three messages came", () => service.of("/ok").length === 3);
  const [first, second, third] = service.of("/ok");
  t.same(
    [first, second, third].map((message) => message?.data.type),
    ["engine.provisioned", "engine.running", "engine.stopped"],
    "in order",
  );
  t.match(first?.data, {
    id: first?.headers["webhook-id"],
    created_at: /^2/,
    data: { user_id: "anna", engine_id: anna.id },
  });
  t.doesNotThrow(() => new Webhook(made.secret).verify(first?.body ?? "", first?.headers as Record<string, string>));
  t.throws(() => new Webhook(made.secret).verify(`${first?.body} `, first?.headers as Record<string, string>));
  await until("all are delivered", async () => (await show(made.id)).pending === 0);
  t.match(await deliveries(made.id), [{ type: "engine.stopped", state: "delivered", attempts: 1 }, {}, {}]);
  t.match(await show(made.id), { last_delivered_at: /^2/ });
  t.notOk("secret" in (await show(made.id)));
});

t.test("a secret is replaced without a message that fails", async (t) => {
  const given = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const made = await endpoint("/rotated", ["engine.provisioned"], { secret: given });
  t.equal(made.secret, given);
  const path = `/notifications/endpoints/${made.id}`;
  const { body: rotated } = await platform("POST", `${path}/rotate-secret`, { grace_s: 60 });
  t.equal((await platform("POST", `${path}/test`)).status, 202);
  const message = await until("the test came", () => service.of("/rotated")[0]);
  t.match(message.data, { type: "notification.test", data: {} });
  for (const secret of [given, rotated.secret])
    t.doesNotThrow(() => new Webhook(secret).verify(message.body, message.headers as Record<string, string>));
});

t.test("a message that is refused is tried again, given up at last, and replayed", async (t) => {
  service.statuses.set("/broken", 500);
  const made = await endpoint("/broken", ["engine.provisioned"]);
  await fleet.provision("ben");
  const failed = await until(
    "the first try failed",
    async () => (await deliveries(made.id))[0]?.last_error && (await deliveries(made.id))[0],
  );
  t.match(failed, { state: "pending", attempts: 1, last_error: "status 500" });
  const { failing_since: since } = await show(made.id);
  t.ok(Date.parse(since) >= Date.parse(failed.created_at), "it says since when");
  const waitS = (Date.parse(failed.next_try_at) - Date.parse(failed.created_at)) / 1000;
  t.ok(waitS > 4 && waitS < 10, `${waitS} s`);
  await sql("update notification_deliveries set attempts = 7, next_try_at = now() where endpoint_id = $1", [made.id]);
  // Rings, as a change does.
  await platform("PATCH", `/notifications/endpoints/${made.id}`, { enabled: true });
  await until("it is given up", async () => (await show(made.id)).dead === 1);
  t.match(await deliveries(made.id, "?state=dead"), [{ attempts: 8, next_try_at: null }]);
  t.equal((await show(made.id)).failing_since, since);
  service.statuses.set("/broken", 204);
  t.match(await platform("POST", `/notifications/endpoints/${made.id}/replay`), { body: { replayed: 1 } });
  await until("it is delivered", async () => (await deliveries(made.id, "?state=delivered")).length === 1);
  t.match(await show(made.id), { failing_since: null, last_delivered_at: /^2/ });
  const ids = new Set(service.of("/broken").map(({ headers }) => headers["webhook-id"]));
  t.equal(ids.size, 1, "each try has the same id");
});

t.test("410 pauses an endpoint, whose messages wait until it is resumed", async (t) => {
  service.statuses.set("/gone", 410);
  const made = await endpoint("/gone", ["engine.stopped"]);
  const carl = await fleet.provision("carl");
  await carl.post("stop", { force: true });
  await until("it is paused", async () => !(await show(made.id)).enabled);
  t.match(await show(made.id), { paused_reason: /410/, pending: 1 });
  service.statuses.set("/gone", 204);
  await sql("update notification_deliveries set next_try_at = now() where endpoint_id = $1", [made.id]);
  await platform("PATCH", `/notifications/endpoints/${made.id}`, { enabled: true });
  await until("it is delivered", async () => (await show(made.id)).pending === 0);
  t.match(await show(made.id), { enabled: true, paused_reason: null });
});

t.test("an endpoint that hangs delays no other, and a redirect is not followed", async (t) => {
  const hanging = await endpoint("/hang", ["engine.running"]);
  const quick = await endpoint("/quick", ["engine.running"]);
  service.statuses.set("/moved", 302);
  const moved = await endpoint("/moved", ["engine.running"]);
  const users = Array.from({ length: 6 }, (_, index) => `user-${index}`);
  await Promise.all(users.map((user) => fleet.provision(user)));
  await until("the quick one has all", () => service.of("/quick").length === users.length);
  t.equal((await show(hanging.id)).pending, users.length);
  await until("the redirect failed", async () =>
    (await deliveries(moved.id)).every(({ last_error }: { last_error: string }) => last_error === "status 302"),
  );
  t.equal((await show(quick.id)).dead, 0);
  await platform("DELETE", `/notifications/endpoints/${hanging.id}`);
});

t.test("nothing is lost when the daemon is killed", async () => {
  const made = await endpoint("/kept", ["engine.provisioned"]);
  await platform("PATCH", `/notifications/endpoints/${made.id}`, { enabled: false });
  const users = Array.from({ length: 4 }, (_, index) => `kept-${index}`);
  for (const [index, user] of users.entries()) {
    await fleet.provision(user);
    if (index !== 1) continue;
    await fleet.daemon.stop("SIGKILL");
    await fleet.restart();
  }
  await platform("PATCH", `/notifications/endpoints/${made.id}`, { enabled: true });
  await until(
    "each user came",
    () => new Set(service.of("/kept").map(({ data }) => data.data["user_id"])).size === users.length,
  );
});

t.test("bad input names the field", async (t) => {
  const create = (body: object) => platform("POST", "/notifications/endpoints", body);
  const good = { url: service.url, events: ["engine.running"] };
  for (const [body, field] of [
    [{ ...good, url: "http://10.0.0.1/x", events: [] }, "events"],
    [{ ...good, events: ["host.draining"] }, "events.0"],
    [{ ...good, url: "ftp://a" }, "url"],
    [{ ...good, url: "https://user:pass@a.example/" }, "url"],
    [{ ...good, secret: "whsec_c2hvcnQ=" }, "secret"],
    [{ ...good, secret: "x".repeat(40) }, "secret"],
    [{ ...good, extra: 1 }, ""],
  ] as const)
    t.match(await create(body), { status: 400, body: { error: { message: new RegExp(`^${field}`) } } }, field);
  t.equal((await platform("GET", "/notifications/endpoints/nep_none")).status, 404);
  const { body } = await platform("GET", "/notifications/endpoints");
  for (let count = body.endpoints.length; count < 20; count++) await endpoint(`/filler-${count}`, ["engine.destroyed"]);
  t.match(await create(good), { status: 429, body: { error: { code: "QUOTA_EXCEEDED" } } });
});

t.test("attack: an endpoint on the host's own network is not called", async (t) => {
  const [{ id }] = (await platform("GET", "/notifications/endpoints")).body.endpoints;
  // Allowed when the address is set, and not any more when it is called.
  await fleet.setPolicy({ private_hosts: ["localhost"] });
  t.equal((await platform("PATCH", `/notifications/endpoints/${id}`, { url: "https://localhost:9/" })).status, 200);
  await fleet.setPolicy({ private_hosts: [] });
  t.equal((await platform("PATCH", `/notifications/endpoints/${id}`, { url: service.url })).status, 400);
  const before = service.messages.length;
  await platform("POST", `/notifications/endpoints/${id}/test`);
  const refused = await until("it is refused", async () => (await deliveries(id))[0]?.last_error);
  t.match(refused, /^refused: localhost:9 .*private_hosts/);
  t.equal(service.messages.length, before);
  await platform("DELETE", `/notifications/endpoints/${id}`);
  for (const host of ["localhost", "127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "2130706433"]) {
    const made = await platform("POST", "/notifications/endpoints", {
      url: `https://${host}/`,
      events: ["engine.woke"],
    });
    const message =
      /^url: .* is refused: it is not on the public internet, and the policy's private_hosts does not list/;
    t.match(made, { status: 400, body: { error: { message } } }, `${host} is refused at once`);
  }
});
