import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { type Answer, ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const run = promisify(execFile);
const dataDir = freshFolder(t, "files");
const workspace = join(dataDir, "workspace");
mkdirSync(workspace);
/** An engine that a test starts again is stopped at the end of the file. */
const file = t;
let engine = await startEngine(t, { dataDir });
const call = (path: string, options: Parameters<typeof ask>[2] = {}): Promise<Answer> =>
  ask(engine.url, path, { ...options, headers: { "x-engine-key": engine.key, ...options.headers } });
const put = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  call(`/files/content?path=${encodeURIComponent(path)}`, { method: "PUT", body, headers });
const digestOf = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const inWorkspace = (path: string) => readFileSync(join(workspace, path), "utf8");
const curl = async (...options: string[]) =>
  (await run("curl", ["--silent", "--header", `x-engine-key: ${engine.key}`, ...options])).stdout;

t.test("a file that is written is listed, read and removed", async (t) => {
  const made = await put("reports/june.csv", "a,b\n1,2\n");
  t.equal(made.status, 201);
  const digest = digestOf("a,b\n1,2\n");
  t.same(made.body, { path: "reports/june.csv", bytes: 8, digest, created: true });
  t.equal(made.headers["etag"], `"${digest}"`);
  t.equal((await put("reports/june.csv", "x")).status, 200, "replaced");
  const { body: top } = await call("/files");
  t.match(top, { path: "", entries: [{ path: "reports", type: "folder", bytes: null }], truncated: false });
  const { body: all } = await call("/files?recursive=true");
  t.match(all.entries, [{ path: "reports" }, { path: "reports/june.csv", type: "file", bytes: 1 }]);
  t.match((await call("/files?recursive=true&limit=1")).body, { truncated: true, entries: { length: 1 } });
  const read = await call("/files/content?path=reports/june.csv");
  t.match(read, {
    status: 200,
    text: "x",
    headers: { "content-type": "text/csv; charset=utf-8", "content-length": "1" },
  });
  t.equal((await call("/files?path=reports", { method: "DELETE" })).body.error, "FILE_EXISTS");
  t.match(await call("/files?path=reports&recursive=true", { method: "DELETE" }), {
    status: 200,
    body: { path: "reports" },
  });
  t.notOk(existsSync(join(workspace, "reports")));
  t.equal((await call("/files/content?path=reports/june.csv")).body.error, "NOT_FOUND");
});

t.test("curl reads ranges from the start, to the end and by suffix", async (t) => {
  const content = "0123456789".repeat(100_000);
  await put("digits.bin", content);
  const url = `${engine.url}/files/content?path=digits.bin`;
  t.equal(await curl("--range", "0-9", url), "0123456789");
  t.equal(await curl("--range", "999995-", url), "56789");
  t.equal(await curl("--range", "-5", url), "56789");
  t.ok((await curl("--range", "-2000000", url)) === content, "a suffix longer than the file is all of it");
  t.match(await curl("--range", "5-6", "--head", url), /206 Partial[^]*content-range: bytes 5-6\/1000000/i);
  t.match(await curl("--range", "1000000-", "--include", url), /416[^]*content-range: bytes \*\/1000000/i);
  t.match(await curl("--range", "0-1,5-6", "--head", url), /200 OK/, "several ranges are none");
  const part = join(dataDir, "part");
  writeFileSync(part, content.slice(0, 500_000));
  await run("curl", ["--silent", "-C", "-", "--output", part, "--header", `x-engine-key: ${engine.key}`, url]);
  t.ok(readFileSync(part, "utf8") === content, "curl goes on with a download");
});

t.test("a copy is revalidated by its ETag, and a range only of the same content", async (t) => {
  await put("page.md", "# one");
  const first = await call("/files/content?path=page.md");
  const etag = String(first.headers["etag"]);
  t.match(await call("/files/content?path=page.md", { headers: { "if-none-match": etag } }), { status: 304, text: "" });
  const head = await call("/files/content?path=page.md", { method: "HEAD" });
  t.match(head, { status: 200, text: "", headers: { etag, "content-length": "5", "accept-ranges": "bytes" } });
  await put("page.md", "# two");
  t.equal((await call("/files/content?path=page.md", { headers: { "if-none-match": etag } })).text, "# two");
  t.equal(
    (await call("/files/content?path=page.md", { headers: { "if-match": etag } })).body.error,
    "PRECONDITION_FAILED",
  );
  t.equal(
    (await call("/files/content?path=page.md", { headers: { range: "bytes=0-1", "if-range": etag } })).text,
    "# two",
  );
});

t.test("of two writes at once with the same If-Match exactly one wins", async (t) => {
  for (let round = 0; round < 10; round++) {
    const start = await put("shared.txt", `round ${round}`);
    const etag = String(start.headers["etag"]);
    const answers = await Promise.all(
      ["a", "b"].map((one) => put("shared.txt", one.repeat(100_000), { "if-match": etag })),
    );
    t.same(
      answers.map(({ status }) => status).sort((one, other) => one - other),
      [200, 412],
    );
    t.equal(inWorkspace("shared.txt")[0], answers[0]?.status === 200 ? "a" : "b");
  }
});

t.test("of many writes at once with If-None-Match: * exactly one makes the file", async (t) => {
  const answers = await Promise.all([1, 2, 3, 4].map((one) => put("new.txt", String(one), { "if-none-match": "*" })));
  t.same(
    answers.map(({ status }) => status).sort((one, other) => one - other),
    [201, 412, 412, 412],
  );
  t.equal((await put("new.txt", "x", { "if-none-match": '"abc"' })).body.error, "INVALID_REQUEST");
  t.equal((await put("none.txt", "x", { "if-match": "*" })).body.error, "PRECONDITION_FAILED");
  t.notOk(existsSync(join(workspace, "none.txt")));
});

t.test("a file and a folder are moved, and nothing is replaced unless asked for", async (t) => {
  const move = (body: object) => call("/files/move", { method: "POST", body });
  await put("from/a.txt", "a");
  await put("b.txt", "b");
  t.match(await move({ from: "from/a.txt", to: "to/deep/a.txt" }), { status: 200, body: { to: "to/deep/a.txt" } });
  t.equal((await move({ from: "to/deep/a.txt", to: "b.txt" })).body.error, "FILE_EXISTS");
  t.equal((await move({ from: "to/deep/a.txt", to: "b.txt", overwrite: true })).status, 200);
  t.equal(inWorkspace("b.txt"), "a");
  t.equal((await move({ from: "to", to: "to/deep/inside" })).body.error, "INVALID_REQUEST");
  t.equal((await move({ from: "to", to: "moved" })).status, 200);
  t.ok(statSync(join(workspace, "moved/deep")).isDirectory());
  t.equal((await move({ from: "nothing", to: "x" })).body.error, "NOT_FOUND");
  t.equal((await move({ from: "b.txt", to: "moved" })).body.error, "FILE_EXISTS");
});

t.test("a folder is downloaded as tar.gz and as zip", async (t) => {
  await put("site/index.md", "# hello");
  await put("site/über/größe.txt", "x".repeat(300_000));
  for (const format of ["tar.gz", "zip"]) {
    const file = join(dataDir, `site.${format}`);
    await curl("--output", file, `${engine.url}/files/archive?path=site&format=${format}`);
    const into = join(dataDir, `unpacked-${format}`);
    mkdirSync(into);
    if (format === "zip") await run("python3", ["-m", "zipfile", "-e", file, into]);
    else await run("tar", ["-xzf", file, "-C", into]);
    t.equal(readFileSync(join(into, "site/index.md"), "utf8"), "# hello");
    t.equal(readFileSync(join(into, "site/über/größe.txt"), "utf8").length, 300_000);
  }
  t.equal((await call("/files/archive?path=site&format=rar")).body.error, "INVALID_REQUEST");
  t.equal((await call("/files/archive?path=nowhere")).body.error, "NOT_FOUND");
});

t.test("a write counts against the disk quota, and leaves nothing when it is refused", async (t) => {
  const small = await startEngine(t, { policy: { limits: { max_processes: 64, memory_mb: 256, disk_mb: 4 } } });
  const send = (headers: Record<string, string>) =>
    ask(small.url, "/files/content?path=big.bin", {
      method: "PUT",
      body: Buffer.alloc(6 * 1024 ** 2),
      headers: { "x-engine-key": small.key, ...headers },
    });
  t.match(await send({}), { status: 413, body: { error: "PAYLOAD_TOO_LARGE", message: /disk quota of 4 MB/ } });
  t.match(await send({ "transfer-encoding": "chunked" }), { status: 413 }, "also of unknown length");
  t.same(readdirSync(join(small.dataDir, "workspace")), []);
  t.same(
    readdirSync(small.dataDir).filter((name) => name.startsWith("tmp-")),
    [],
  );
});

t.test("kill -9 during a write leaves the old content whole, and the next start removes the rest", async (t) => {
  await put("kept.txt", "old");
  const upload = httpRequest(`${engine.url}/files/content?path=kept.txt`, {
    method: "PUT",
    headers: { "x-engine-key": engine.key, "content-length": String(64 * 1024 ** 2) },
  });
  upload.on("error", () => undefined);
  upload.write(Buffer.alloc(1024 ** 2));
  const leftovers = () => readdirSync(dataDir).filter((name) => name.startsWith("tmp-upload-"));
  await until("the upload is being stored", () => leftovers().length > 0);
  await engine.stop("SIGKILL");
  t.equal(inWorkspace("kept.txt"), "old");
  t.equal(leftovers().length, 1);
  engine = await startEngine(file, { dataDir, key: engine.key });
  t.equal((await call("/files/content?path=kept.txt")).text, "old");
  await until("the leftover is removed", () => leftovers().length === 0);
});

t.test("an upload whose sender leaves changes nothing", async (t) => {
  const upload = httpRequest(`${engine.url}/files/content?path=kept.txt`, {
    method: "PUT",
    headers: { "x-engine-key": engine.key, "content-length": "5000000" },
  });
  upload.on("error", () => undefined);
  upload.write(Buffer.alloc(1024 ** 2));
  const leftovers = () => readdirSync(dataDir).filter((name) => name.startsWith("tmp-upload-"));
  await until("the upload is being stored", () => leftovers().length > 0);
  upload.destroy();
  await until("the rest is removed", () => leftovers().length === 0);
  t.equal(inWorkspace("kept.txt"), "old");
});
