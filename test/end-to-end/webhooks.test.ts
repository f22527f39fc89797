import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { signWebhook } from "../../src/contract/orchestrator/webhook-signature.ts";
import { ask } from "../helpers/api.ts";
import { freshFolder } from "../helpers/folder.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const fleet = await openFleet(t, { env: { ORCH_LOG_LEVEL: "trace" } });
const anna = await fleet.provision("anna");
const template = "/say A message came:{{payload.text}}";
const made = await fleet.platform("POST", "/engines/anna/webhooks", { name: "inbox", template, task_id: "inbox" });
const { id: webhookId, secret, path } = made.body as { id: string; secret: string; path: string };
const address = `/engines/anna/webhooks/${webhookId}`;

interface Sent {
  readonly id?: string;
  readonly at?: number;
  readonly body?: string | Buffer;
  readonly key?: string;
  readonly to?: string;
  readonly signature?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let messages = 0;
const send = ({ id = `msg_${++messages}`, at = Date.now(), body = '{"text": "hello"}', ...more }: Sent = {}) => {
  const timestamp = String(Math.floor(at / 1000));
  const bytes = Buffer.from(body);
  const signature = more.signature ?? signWebhook(more.key ?? secret, { id, timestamp, body: bytes });
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  return ask(fleet.daemon.url, more.to ?? path, {
    method: "POST",
    body: bytes,
    headers: { ...headers, ...more.headers },
  });
};
const runs = async () => (await fleet.platform("GET", `${address}/runs`)).body.data;

t.test("a signed message starts one turn, and wakes its engine", async (t) => {
  t.match(made, { status: 201, body: { secret: /^whsec_[A-Za-z0-9+/]{43}=$/, path: `/webhooks/${webhookId}` } });
  t.equal(made.headers["cache-control"], "no-store");
  await anna.sleep();
  const first = await send({ id: "evt_1" });
  t.match(first, { status: 202, body: { accepted: true, run_id: /^run_/ } });
  const again = await send({ id: "evt_1", body: '{"text": "another"}' });
  t.match(again, { status: 202, body: first.body, headers: { "idempotent-replayed": "true" } });
  const run = await until("its turn has ended", async () =>
    (await runs()).find(({ ended_at }: { ended_at: string }) => ended_at),
  );
  t.match(run, { id: first.body.run_id, state: "done", task_id: "inbox", webhook_id: webhookId, schedule_id: null });
  t.equal((await runs()).length, 1);
  t.equal((await anna.show()).awake.woken_by, "schedule");
  const { body } = await anna.call("/execute/replay?task_id=inbox");
  t.match(JSON.stringify(body.events), /A message came/);
  t.match((await fleet.platform("GET", address)).body, { last_run: { state: "done" }, enabled: true });
  t.notOk("secret" in (await fleet.platform("GET", address)).body);
});

t.test("unsigned calls get the same answer for known and unknown webhooks", async (t) => {
  const unknown = `/webhooks/${webhookId.slice(0, -4)}0000`;
  const answers = {
    "a wrong signature": await send({ signature: "v1,AAAA" }),
    "no signature": await send({ signature: "" }),
    "another secret": await send({ key: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }),
    "an old message": await send({ at: Date.now() - 400_000 }),
    "a message from the future": await send({ at: Date.now() + 400_000 }),
    "an id with a full stop": await send({ id: "a.b" }),
    "an unknown webhook": await send({ to: unknown }),
    "no webhook's id": await send({ to: "/webhooks/x" }),
  };
  const shape = ({ status, text }: { status: number; text: string }) => `${status} ${text}`;
  const [first = ""] = Object.values(answers).map(shape);
  t.match(first, /^401 .*INVALID_SIGNATURE/);
  for (const [name, answer] of Object.entries(answers)) t.equal(shape(answer), first, name);
  const large = "x".repeat(65 * 1024);
  t.match(
    [await send({ body: large }), await send({ body: large, to: unknown })].map(({ status }) => status),
    [413, 413],
  );
  const compressed = { "content-encoding": "gzip" };
  t.equal((await send({ headers: compressed })).status, 400);
  t.equal((await send({ headers: compressed, to: unknown })).status, 400);
  const wrongText = await send({ body: Buffer.from([0xff, 0xfe]) });
  t.match(wrongText, { status: 400, body: { error: { message: "body: expected text in UTF-8" } } });
  t.match(await send({ body: "a\0b" }), { status: 400, body: { error: { message: /NUL/ } } });
  t.equal((await runs()).length, 1, "none of them has a run");
});

t.test("a signature of a known webhook takes no longer to refuse than one of an unknown", async (t) => {
  const unknown = `/webhooks/${webhookId.slice(0, -4)}0000`;
  const body = "x".repeat(60 * 1024);
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < 60; round++)
    for (const [name, to] of [
      ["known", path],
      ["unknown", unknown],
    ] as const) {
      const began = performance.now();
      await send({ to, body, signature: "v1,AAAA" });
      times[name].push(performance.now() - began);
    }
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length / 2] ?? 0;
  const [known, other] = [median(times.known), median(times.unknown)];
  t.ok(Math.max(known, other) < 2 * Math.min(known, other), `median ${known.toFixed(2)} ms and ${other.toFixed(2)} ms`);
});

t.test("a template that names a large body many times is refused at once", async (t) => {
  const template = "{{payload}}".repeat(700);
  const { body: many } = await fleet.platform("POST", "/engines/anna/webhooks", { name: "many", template });
  const refused = await send({ to: many.path, key: many.secret, body: "x".repeat(60_000) });
  t.match(refused, { status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
  t.equal((await send({ to: many.path, key: many.secret, body: "x" })).status, 202);
});

t.test("the sender of the documentation is accepted", async (t) => {
  const text = readFileSync(resolve(import.meta.dirname, "../../docs/schedules.md"), "utf8");
  const [, code = ""] = /```js\n([^]*?)```/.exec(text) ?? [];
  const file = join(freshFolder(t), "sender.mjs");
  writeFileSync(file, code);
  const { notify } = (await import(pathToFileURL(file).href)) as {
    readonly notify: (to: object, payload: object) => Promise<Response>;
  };
  const answer = await notify({ url: fleet.daemon.url + path, secret }, { text: "documented" });
  t.equal(answer.status, 202);
  const { run_id: id } = (await answer.json()) as { run_id: string };
  await until("its turn has ended", async () =>
    (await runs()).some((run: { id: string; state: string }) => run.id === id && run.state === "done"),
  );
});

t.test("a secret is replaced, a webhook paused, limited and deleted", async (t) => {
  const rotated = await fleet.platform("POST", `${address}/rotate-secret`, { grace_s: 60 });
  t.match(rotated, { status: 200, body: { secret: /^whsec_/ } });
  t.equal((await send()).status, 202, "the secret before, in its grace");
  t.equal((await send({ key: rotated.body.secret })).status, 202);
  const next = await fleet.platform("POST", `${address}/rotate-secret`, {});
  t.equal((await send({ key: rotated.body.secret })).status, 401);
  const sign = { key: next.body.secret as string };
  t.match(await fleet.platform("PATCH", address, { enabled: false }), { status: 200, body: { enabled: false } });
  t.match(await send(sign), { status: 403, body: { error: { message: "the webhook is paused" } } });
  await fleet.platform("PATCH", address, { enabled: true, requests_per_minute: 1 });
  const limited = await send(sign);
  t.match(limited, { status: 429, body: { error: { code: "RATE_LIMITED" } }, headers: { "retry-after": /\d/ } });
  await until("every turn has ended", async () =>
    (await runs()).every(({ ended_at }: { ended_at: string }) => ended_at),
  );
  const metrics = (await fleet.daemon.admin("/metrics")).text;
  for (const outcome of ["accepted", "replayed", "unsigned", "rate_limited"])
    t.match(metrics, new RegExp(`orch_webhook_calls_total\\{outcome="${outcome}"\\} [1-9]`));
  t.match(metrics, /orch_scheduled_runs_total\{product="sleepy",trigger="webhook",outcome="done"\} 4/);
  const wrong = await fleet.platform("POST", "/engines/anna/webhooks", { name: "y", template: "{{all}}" });
  t.match(wrong.body.error.message, /^template: unknown placeholder \{\{all\}\} at character 1/);
  t.equal((await fleet.platform("DELETE", address)).status, 200);
  t.equal((await send(sign)).status, 401);
  const sinks = [
    fleet.daemon.output(),
    readFileSync(join(fleet.daemon.dataDir, "engines", anna.id, "engine.log"), "utf8"),
    metrics,
    (await fleet.platform("GET", "/events?limit=200")).text,
    (await fleet.daemon.admin("/admin/audit?limit=200")).text,
  ];
  const hidden = [secret, rotated.body.secret, next.body.secret, "A message came"] as string[];
  t.same(
    sinks.flatMap((text) => hidden.filter((one) => text.includes(one))),
    [],
    "no sink holds a secret or a message",
  );
});
