import { connect } from "node:net";
import t, { type Test } from "tap";
import { startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
/** The promise is one second; a test machine may be busy with other things for longer. */
const PATIENCE_MS = 8000;

async function register(slug: string, policy: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug, policy } });
  return body.platform_api_key;
}
const provision = (key: string, body: unknown) => daemon.platform(key, "/engines/provision", { method: "POST", body });
const manyFields = (count: number) => Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join();

/** A request that stops before the end of its body; what is answered. */
function unfinished(t: Test, { key = "", bytes }: { readonly key?: string; readonly bytes: number }) {
  const socket = connect(Number(new URL(daemon.url).port), "127.0.0.1").setEncoding("latin1");
  t.teardown(() => socket.destroy());
  let got = "";
  socket.on("data", (piece: string) => (got += piece)).on("error", () => undefined);
  socket.write(`POST /engines/provision HTTP/1.1\r\nhost: localhost\r\nx-platform-key: ${key}\r\n`);
  socket.write(`content-length: ${bytes}\r\n\r\n${" ".repeat(bytes - 1)}`);
  return { socket, answer: () => got };
}

t.test("a body is bounded by its route, and by how many values it has", async (t) => {
  const key = await register("bounds");
  const large = " ".repeat(65 * 1024);
  t.match(await provision(key, large), { status: 413, body: { error: { message: "body: expected at most 64 KiB" } } });
  const stop = await daemon.platform(key, "/engines/a/stop", { method: "POST", body: " ".repeat(5000) });
  t.match(stop, { status: 413, body: { error: { message: "body: expected at most 4 KiB" } } });
  const unsized = { method: "POST", headers: { "transfer-encoding": "chunked" }, body: large };
  t.match(await daemon.platform(key, "/engines/provision", unsized), { status: 413 });
  const many = await provision(key, `{"user_id":"a",${manyFields(5000)}}`);
  t.match(many, { status: 400, body: { error: { message: "body: expected at most 4096 values" } } });
  const deep = await provision(key, `{"user_id":"a","x":${"[".repeat(100)}${"]".repeat(100)}}`);
  t.match(deep, { status: 400, body: { error: { message: "body: expected at most 64 levels" } } });
  const metadata = { user_id: "a", start: false, metadata: { text: "ж".repeat(8000) } };
  t.equal((await provision(key, JSON.stringify(metadata).replaceAll("ж", String.raw`\u0436`))).status, 201);
});

t.test("the metadata's bound is in bytes", async (t) => {
  const answer = await provision(await register("bytes"), { user_id: "a", metadata: { text: "€".repeat(16_000) } });
  t.match(answer, { status: 400, body: { error: { message: /^metadata: expected at most 16 KiB/ } } });
});

t.test("a large body costs more than one request of the minute", async (t) => {
  const key = await register("cost", { requests_per_minute: 10 });
  const body = `{"user_id":"a","start":false}${" ".repeat(60 * 1024)}`;
  t.match(await provision(key, body), { status: 201, headers: { "ratelimit-remaining": "2" } });
  t.match(await provision(key, body), {
    status: 429,
    headers: { "ratelimit-remaining": "2", "retry-after": /^(?:5\d|60)$/ },
  });
  t.equal((await daemon.platform(key, "/engines/a")).status, 200);
});

t.test("a long list costs more than one request of the minute", async (t) => {
  const key = await register("list-cost", { requests_per_minute: 10 });
  t.match(await daemon.platform(key, "/engines?limit=50"), { status: 200, headers: { "ratelimit-remaining": "9" } });
  t.match(await daemon.platform(key, "/engines?limit=1&limit=200"), {
    status: 200,
    headers: { "ratelimit-remaining": "5" },
  });
});

t.test("a product that sends its minute at once, in bodies as costly as can be, delays no other", async (t) => {
  const [flooder, other] = [await register("flooder"), await register("other")];
  const body = `{"user_id":"a","start":false,${manyFields(70_000)}}`;
  const flood = { left: 200 };
  const calls = Array.from({ length: flood.left }, () =>
    provision(flooder, body)
      .catch(() => undefined)
      .finally(() => flood.left--),
  );
  let longest = 0;
  do {
    const sent = performance.now();
    t.equal((await daemon.platform(other, "/engines?limit=1")).status, 200);
    longest = Math.max(longest, performance.now() - sent);
  } while (flood.left > 0);
  await Promise.all(calls);
  t.ok(longest < PATIENCE_MS, `the other waited for ${Math.round(longest)} ms`);
});

t.test("a caller without a key is answered before its body arrives, and disconnected", async (t) => {
  const calls = Array.from({ length: 200 }, () => unfinished(t, { bytes: 60_000 }));
  await until("all are answered", () => calls.every(({ answer }) => answer().startsWith("HTTP/1.1 401")), PATIENCE_MS);
  await until("all are hung up on", () => calls.every(({ socket }) => socket.destroyed), 30_000);
  t.match(calls[0]?.answer(), /INVALID_PLATFORM_KEY/);
});

t.test("bodies that never end take up a product's own room, and no other's", async (t) => {
  const [slow, other] = [await register("slow", { requests_per_minute: null }), await register("quick")];
  const calls = Array.from({ length: 400 }, () => unfinished(t, { key: slow, bytes: 60_000 }));
  const refused = () => calls.filter(({ answer }) => answer().startsWith("HTTP/1.1 503"));
  await until("some are refused", () => refused().length > 0, PATIENCE_MS);
  t.match(refused()[0]?.answer(), /\r\nRetry-After: 1\r\n.*SERVICE_UNAVAILABLE/s);
  t.equal((await provision(other, { user_id: "a", start: false })).status, 201);
  for (const { socket } of calls) socket.destroy();
  await until(
    "there is room again",
    async () => (await provision(slow, { user_id: "a", start: false })).status === 201,
  );
});

t.test("a product whose calls wait has so many open at most, and another is answered", async (t) => {
  const [waiting, other] = [await register("waiting", { requests_per_minute: null }), await register("answered")];
  t.equal((await provision(waiting, { user_id: "a", start: false })).status, 201);
  const left = new AbortController();
  t.teardown(() => left.abort());
  const refused: string[] = [];
  for (let call = 0; call < 1010; call++) {
    void daemon
      .platform(waiting, "/engines/a/wait?timeout_s=600", { signal: left.signal })
      .then(({ status, body }) => status === 429 && refused.push(body.error.message))
      .catch(() => undefined);
  }
  await until("some are refused", () => refused.length === 10, 60_000);
  t.match(refused[0], "1000 calls of this product are open");
  t.equal((await daemon.platform(other, "/engines")).status, 200);
  left.abort();
  await until("its calls are answered again", async () => (await daemon.platform(waiting, "/engines")).status === 200);
});
