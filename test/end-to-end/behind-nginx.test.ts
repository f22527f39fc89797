import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { createEngineClient } from "../../src/client/index.ts";
import { ask } from "../helpers/api.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { startNginx, withNginx } from "../helpers/nginx.ts";

const document = readFileSync(resolve(import.meta.dirname, "../../docs/operating.md"), "utf8");

/** The documented example, with this daemon's port. */
function example(daemon: Daemon): string {
  const [, block = ""] = /```nginx\n([^]*?)```/.exec(document) ?? [];
  return block.replace("127.0.0.1:7700", new URL(daemon.url).host);
}

/** Reads a stream until something has come. */
async function passes(stream: Response, wanted: string): Promise<boolean> {
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(wanted)) return true;
  }
  return false;
}

t.test("the documented nginx example", withNginx, async (t) => {
  const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
  const proxy = await startNginx(t, example(daemon));
  const { body: product } = await ask(proxy, "/products/register", {
    method: "POST",
    headers: { "x-admin-key": daemon.adminKey },
    body: { slug: "acme" },
  });
  const headers = { "x-platform-key": product.platform_api_key };
  t.teardown(() => daemon.admin("/products/acme?force=true", { method: "DELETE" }));

  const leave = new AbortController();
  t.teardown(() => leave.abort());
  const accept = "text/event-stream";
  const events = await fetch(`${proxy}/events`, { headers: { ...headers, accept }, signal: leave.signal });
  t.equal(events.status, 200, "a stream of events is open before there is an event");
  const made = await ask(proxy, "/engines/provision", { method: "POST", headers, body: { user_id: "alice" } });
  t.equal(made.status, 201);
  t.ok(await passes(events, "event: engine.running"), "an event comes while the stream is open");

  const key = made.body.engine_api_key;
  const path = `/e/${made.body.id}`;
  const engine = createEngineClient({ url: proxy + path, key });
  t.equal(await engine.execute({ taskId: "t1", message: "/say Hello" }).text(), "Hello");
  const page = await engine.replay({ taskId: "t1", limit: 1 });
  t.equal(page.events.length, 1, "what a call asks for comes through");
  // More than nginx takes by itself, less than an engine does.
  const body = JSON.stringify({ task_id: "t2", message: "/say Hello" }) + " ".repeat(1_500_000);
  const large = await ask(proxy, `${path}/execute`, { method: "POST", headers: { "x-engine-key": key }, body });
  t.match(large, { status: 200, text: /"phase":"completed"/ });

  t.equal((await ask(daemon.url, "/metrics")).status, 200);
  t.equal((await ask(proxy, "/metrics")).status, 401, "the host's figures are not for everybody");
});
