import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import t from "tap";
import { createUserClient } from "../../src/client/browser.ts";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const MIB = 1024 ** 2;
/** `ORCHD_FILES=long`: 1 GiB each way. */
const IS_LONG = process.env["ORCHD_FILES"] === "long";
const LARGE_BYTES = IS_LONG ? 1024 * MIB : 192 * MIB;
/** What an engine and a daemon may grow by while a file of any size passes through. */
const MAX_GROWTH = 128 * MIB;
const port = await freePort();
const base = `http://localhost:${port}`;
const fleet = await openFleet(t, {
  env: { ORCH_PORT: String(port), ORCH_PUBLIC_URL: base },
  policy: { disk_mb: 4096, checkpoint_mb: 0 },
  // In memory, the file would count against the memory limit of its engine.
  ...(IS_LONG && { dataDir: folderOnDisk() }),
});
const anna = await fleet.provision("anna");
const bob = await fleet.provision("bob");
const client = createEngineClient({ url: anna.url, key: anna.key });
/** An engine that a call has woken answers before its start is recorded. */
const asleep = async () => {
  await anna.isIn("running");
  await anna.sleep();
};
const textOf = async ({ chunks }: { readonly chunks: AsyncIterable<Uint8Array> }) =>
  Buffer.concat(await Array.fromAsync(chunks)).toString();

t.test("files are written and read through the daemon, and a call wakes a sleeper", async (t) => {
  const stored = await client.files.write("notes/a.txt", "hello");
  t.match(stored, { path: "notes/a.txt", bytes: 5, created: true });
  await asleep();
  t.equal(await textOf(await client.files.read({ path: "notes/a.txt", range: "bytes=1-3" })), "ell");
  await asleep();
  const etag = `"${stored.digest}"`;
  t.match(await client.files.write("notes/a.txt", "changed", { ifMatch: etag }), { created: false });
  await t.rejects(client.files.write("notes/a.txt", "late", { ifMatch: etag }), { code: "PRECONDITION_FAILED" });
  t.match(await client.files.list({ recursive: true }), { entries: [{ path: "notes" }, { path: "notes/a.txt" }] });
  t.match(await client.files.move("notes/a.txt", "b.txt"), { to: "b.txt" });
  t.match(await client.files.remove("notes"), { path: "notes" });
});

t.test("a link works at the daemon's address for who has no key, and wakes its engine", async (t) => {
  const { url } = await client.files.link("b.txt", { ttlS: 60 });
  t.ok(url.startsWith(`${base}/e/${anna.id}/files/linked/`), url);
  await asleep();
  const path = url.slice(base.length);
  const answer = await ask(base, path);
  t.match(answer, { status: 200, text: "changed", headers: { "x-content-type-options": "nosniff" } });
  t.match(answer.headers["content-security-policy"], "sandbox");
  t.equal((await ask(base, path.replace(anna.id, bob.id))).status, 404, "nor for another engine");
});

t.test("an end user reads and writes as the token permits", async (t) => {
  const tokenFor = async (scope: string) =>
    (await fleet.platform("POST", "/engines/anna/tokens", { ttl_s: 600, scope })).body.token;
  const reader = createUserClient({ url: base, token: await tokenFor("files:read") });
  const writer = createUserClient({ url: base, token: await tokenFor("files:write") });
  t.equal(await textOf(await reader.files.read({ path: "b.txt" })), "changed");
  await t.rejects(reader.files.write("b.txt", "x"), { code: "INSUFFICIENT_SCOPE" });
  await t.rejects(writer.files.list(), { code: "INSUFFICIENT_SCOPE" });
  t.match(await writer.files.write("c.txt", "written"), { created: true });
  const { url } = await reader.files.link("c.txt");
  t.equal((await ask(base, url.slice(base.length))).text, "written");
  t.equal((await fleet.platform("POST", "/engines/anna/tokens/revoke")).status, 200);
  const isRefused = () => reader.files.list().catch(({ code }: { code: string }) => code === "INVALID_TOKEN");
  await until("the token is refused", async () => (await isRefused()) === true);
  t.equal((await ask(base, url.slice(base.length))).text, "written", "a link outlives the token that made it");
});

t.test(`${LARGE_BYTES / MIB} MiB go up and down in constant memory`, async (t) => {
  const { pid } = await anna.show();
  const memory = () => [pid, fleet.daemon.process.pid].map((one) => residentBytes(Number(one)));
  const before = memory();
  const peak = [...before];
  const look = setInterval(() => memory().forEach((bytes, at) => (peak[at] = Math.max(peak[at] ?? 0, bytes))), 50);
  t.teardown(() => clearInterval(look));
  const hash = createHash("sha256");
  const body = Readable.toWeb(Readable.from(chunks(hash))) as ReadableStream<Uint8Array>;
  const up = performance.now();
  const stored = await client.files.write("large.bin", body);
  const down = performance.now();
  const digest = hash.digest("hex");
  t.match(stored, { bytes: LARGE_BYTES, digest });
  const received = createHash("sha256");
  for await (const chunk of (await client.files.read({ path: "large.bin" })).chunks) received.update(chunk);
  const end = performance.now();
  t.equal(received.digest("hex"), digest);
  clearInterval(look);
  for (const [at, name] of ["engine", "daemon"].entries()) {
    const growth = (peak[at] ?? 0) - (before[at] ?? 0);
    t.ok(
      growth < MAX_GROWTH,
      `the ${name} grew by ${Math.round(growth / MIB)} MiB from ${Math.round((before[at] ?? 0) / MIB)}`,
    );
  }
  t.comment(`up ${Math.round(down - up)} ms, down ${Math.round(end - down)} ms`);
});

function folderOnDisk(): string {
  const folder = mkdtempSync(join(tmpdir(), "orchd-files-"));
  chmodSync(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function* chunks(hash: ReturnType<typeof createHash>): Generator<Uint8Array> {
  for (let at = 0; at < LARGE_BYTES; at += MIB) {
    const chunk = Buffer.alloc(MIB, at / MIB);
    hash.update(chunk);
    yield chunk;
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
