import { execFile, execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { type Answer, ask } from "../../helpers/api.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";

const run = promisify(execFile);
const dataDir = freshFolder(t, "attacked");
const workspace = join(dataDir, "workspace");
const outside = freshFolder(t, "outside");
mkdirSync(workspace);
writeFileSync(join(outside, "secret.txt"), "secret");
const engine = await startEngine(t, { dataDir });
const callOf = (of: TestEngine, path: string, options: Parameters<typeof ask>[2] = {}): Promise<Answer> =>
  ask(of.url, path, { ...options, headers: { "x-engine-key": of.key, ...options.headers } });
const call = (path: string, options: Parameters<typeof ask>[2] = {}) => callOf(engine, path, options);
const put = (path: string, body: string) => call(`/files/content?path=${path}`, { method: "PUT", body });
const codeOf = async (answer: Promise<Answer>) => (await answer).body?.error;
const linkOf = async (path: string, of = engine): Promise<string> => {
  const { body } = await callOf(of, "/files/links", { method: "POST", body: { path, ttl_s: 60 } });
  return body.link.replace(/^\/e\/[^/]+/, "");
};

/** Paths that lead elsewhere, or that are none, as they are in an address. */
const BAD_PATHS = {
  "..": "..",
  "../outside/secret.txt": "../outside/secret.txt",
  "a/../../secret": "a/../../secret",
  "%2e%2e in place of ..": "%2e%2e%2fsecret.txt",
  "an absolute path": "/etc/passwd",
  "an absolute path of the workspace itself": encodeURIComponent(join(workspace, "a.txt")),
  NUL: "a%00.txt",
  "a name that is no UTF-8": "a%ff.txt",
  "a name of 256 bytes": "x".repeat(256),
  "a path of 5,000 bytes": "ab/".repeat(1667),
};
for (const [name, path] of Object.entries(BAD_PATHS))
  t.test(`a path that is ${name} is refused by every call`, async (t) => {
    t.equal(await codeOf(call(`/files/content?path=${path}`)), "INVALID_REQUEST");
    t.equal(await codeOf(call(`/files?path=${path}`)), "INVALID_REQUEST");
    t.equal(await codeOf(call(`/files/archive?path=${path}`)), "INVALID_REQUEST");
    t.equal(await codeOf(put(path, "x")), "INVALID_REQUEST");
    t.equal(await codeOf(call(`/files?path=${path}&recursive=true`, { method: "DELETE" })), "INVALID_REQUEST");
    const from = decodeURIComponent(path.replace("%ff", "%ef%bf%bd"));
    t.equal(await codeOf(call("/files/move", { method: "POST", body: { from, to: "b" } })), "INVALID_REQUEST");
    t.equal(await codeOf(call("/files/move", { method: "POST", body: { from: "b", to: from } })), "INVALID_REQUEST");
    t.equal(await codeOf(call("/files/links", { method: "POST", body: { path: from } })), "INVALID_REQUEST");
    t.same(readdirSync(outside), ["secret.txt"]);
  });

t.test("a link is followed by no call, in the middle of a path or at its end", async (t) => {
  symlinkSync(outside, join(workspace, "way-out"));
  symlinkSync(join(outside, "secret.txt"), join(workspace, "secret.txt"));
  for (const path of ["way-out/secret.txt", "secret.txt"]) {
    t.equal(await codeOf(call(`/files/content?path=${path}`)), "INVALID_REQUEST");
    t.equal(await codeOf(put(path, "overwritten")), "INVALID_REQUEST");
    t.equal(await codeOf(call("/files/links", { method: "POST", body: { path } })), "INVALID_REQUEST");
  }
  t.equal(await codeOf(put("way-out/new.txt", "x")), "INVALID_REQUEST");
  t.equal(await codeOf(call("/files?path=way-out")), "INVALID_REQUEST");
  t.equal(await codeOf(call("/files/archive?path=way-out")), "INVALID_REQUEST");
  const { body } = await call("/files?recursive=true");
  t.same(
    body.entries.map((one: { path: string; type: string }) => `${one.path} ${one.type}`),
    ["secret.txt link", "way-out link"],
  );
  t.equal((await call("/files?path=way-out&recursive=true", { method: "DELETE" })).status, 200, "the link is removed");
  t.equal((await call("/files?path=secret.txt", { method: "DELETE" })).status, 200);
  t.equal(readFileSync(join(outside, "secret.txt"), "utf8"), "secret");
});

t.test("folders that are exchanged for links during calls never lead out", async (t) => {
  const exchange = `
    const fs = require("node:fs");
    const [real, link, at] = process.argv.slice(1);
    for (;;) { try { fs.renameSync(at, real); fs.renameSync(link, at); fs.renameSync(at, link); fs.renameSync(real, at); } catch { } }`;
  mkdirSync(join(workspace, "swapped"));
  writeFileSync(join(workspace, "swapped/secret.txt"), "own");
  symlinkSync(outside, join(workspace, "link"));
  const places = [join(workspace, "real"), join(workspace, "link"), join(workspace, "swapped")];
  const program = execFile(process.execPath, ["-e", exchange, ...places]);
  t.teardown(() => program.kill("SIGKILL"));
  let read = 0;
  for (let round = 0; round < 300; round++) {
    const [answer] = await Promise.all([
      call("/files/content?path=swapped/secret.txt"),
      put("swapped/made.txt", "x"),
      call("/files?path=swapped/gone.txt", { method: "DELETE" }),
    ]);
    if (answer.status === 200) read++;
    t.not(answer.text, "secret");
  }
  program.kill("SIGKILL");
  t.ok(read > 0, `${read} of 300 reads found the folder`);
  t.same(readdirSync(outside), ["secret.txt"]);
  for (const name of ["swapped", "real", "link"]) rmSync(join(workspace, name), { recursive: true, force: true });
});

t.test("pipes, sockets and devices are neither opened nor archived", async (t) => {
  mkdirSync(join(workspace, "odd"));
  execFileSync("mkfifo", [join(workspace, "odd/pipe")]);
  const server = createServer().listen(join(workspace, "odd/socket"));
  t.teardown(() => server.close());
  writeFileSync(join(workspace, "odd/plain.txt"), "plain");
  if (process.getuid?.() === 0) execFileSync("mknod", [join(workspace, "odd/device"), "c", "1", "5"]);
  for (const name of readdirSync(join(workspace, "odd")).filter((one) => one !== "plain.txt")) {
    t.equal(await codeOf(call(`/files/content?path=odd/${name}`)), "INVALID_REQUEST", name);
    t.equal(await codeOf(put(`odd/${name}`, "x")), "INVALID_REQUEST", name);
  }
  const file = join(dataDir, "odd.tar.gz");
  await run("curl", ["-s", "-o", file, "-H", `x-engine-key: ${engine.key}`, `${engine.url}/files/archive?path=odd`]);
  t.equal((await run("tar", ["-tzf", file])).stdout, "odd/plain.txt\n");
  await call("/files?path=odd&recursive=true", { method: "DELETE" });
});

t.test("names by which an archive would be unpacked elsewhere are changed", async (t) => {
  mkdirSync(join(workspace, "slip"));
  for (const name of ["..\\..\\evil.txt", "C:evil.txt", "-rf", "a\nb"])
    writeFileSync(join(workspace, "slip", name), "x");
  for (const format of ["zip", "tar.gz"]) {
    const file = join(dataDir, `slip.${format}`);
    const url = `${engine.url}/files/archive?path=slip&format=${format}`;
    await run("curl", ["-s", "-o", file, "-H", `x-engine-key: ${engine.key}`, url]);
    const list =
      "import sys,zipfile,tarfile;f=sys.argv[1];print([i.filename for i in zipfile.ZipFile(f).infolist()] if f.endswith('zip') else tarfile.open(f).getnames())";
    const { stdout } = await run("python3", ["-c", list, file]);
    t.match(stdout, "slip/.._.._evil.txt");
    t.match(stdout, "slip/-rf");
    t.notMatch(stdout, /\\\\|'\.\.|'\//, stdout);
  }
  await call("/files?path=slip&recursive=true", { method: "DELETE" });
});

t.test("names that are no UTF-8 are counted, and archived never", async (t) => {
  mkdirSync(join(workspace, "bytes"));
  writeFileSync(Buffer.concat([Buffer.from(join(workspace, "bytes/")), Buffer.from([0x61, 0xff])]), "x");
  t.match((await call("/files?path=bytes")).body, { entries: [], unreadable: 1 });
  t.equal((await call("/files/archive?path=bytes")).status, 200);
  t.equal((await call("/files?path=bytes&recursive=true", { method: "DELETE" })).status, 200);
});

t.test("the engine's own folder is not written, moved or removed", async (t) => {
  t.equal(await codeOf(put(".orch/attachments/x", "x")), "INVALID_REQUEST");
  t.equal(await codeOf(call("/files?path=.orch&recursive=true", { method: "DELETE" })), "INVALID_REQUEST");
  t.equal(await codeOf(call("/files/move", { method: "POST", body: { from: ".orch", to: "x" } })), "INVALID_REQUEST");
  t.equal(await codeOf(put("./.orch/x", "x")), "INVALID_REQUEST");
  t.equal(await codeOf(call("/files?path=&recursive=true", { method: "DELETE" })), "INVALID_REQUEST", "nor all of it");
});

t.test("a hard link that a tool could not make shows nothing that it could not read", async (t) => {
  linkSync(join(outside, "secret.txt"), join(workspace, "hard.txt"));
  t.equal((await put("hard.txt", "replaced")).status, 200);
  t.equal(readFileSync(join(outside, "secret.txt"), "utf8"), "secret", "a write replaces the name, not the content");
});

t.test("a link of an engine works without a key, and for nothing else", async (t) => {
  await put("shared.txt", "for you");
  await put("private.txt", "not for you");
  const link = await linkOf("shared.txt");
  t.match(await ask(engine.url, link), { status: 200, text: "for you" });
  t.equal((await ask(engine.url, link, { method: "PUT", body: "x" })).status, 405);
  t.equal((await ask(engine.url, "/files/content?path=private.txt")).status, 401);
  const [payload = "", signature = ""] = (link.split("/").at(-1) ?? "").split(".");
  const [, until] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, number];
  const forged = (claims: unknown) => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const attempts = {
    "for another path": `${forged(["private.txt", until])}.${signature}`,
    "for a longer time": `${forged(["shared.txt", until + 3600_000])}.${signature}`,
    "without a signature": `${payload}.`,
    "with a shorter signature": `${payload}.${signature.slice(0, 20)}`,
    "without anything": ".",
    "of 20,000 bytes": `${"a".repeat(7000)}.${signature}`,
    "that is no base64": "%f0%9f%98%80.x",
  };
  for (const [name, token] of Object.entries(attempts))
    t.equal((await ask(engine.url, `/files/linked/${token}`)).status, 404, name);
});

t.test("a link that is replayed after its time is refused", async (t) => {
  const { body } = await call("/files/links", { method: "POST", body: { path: "shared.txt", ttl_s: 1 } });
  const link = body.link.replace(/^\/e\/[^/]+/, "");
  t.equal((await ask(engine.url, link)).status, 200);
  const left = Date.parse(body.expires_at) - Date.now();
  await new Promise((resolve) => setTimeout(resolve, left + 1));
  t.equal((await ask(engine.url, link)).status, 404);
});

t.test("a link of another engine is refused", async (t) => {
  const otherData = freshFolder(t, "other");
  mkdirSync(join(otherData, "workspace"));
  writeFileSync(join(otherData, "workspace/shared.txt"), "of another user");
  const other = await startEngine(t, { dataDir: otherData });
  const [link, own] = [await linkOf("shared.txt"), await linkOf("shared.txt", other)];
  t.equal((await ask(other.url, link)).status, 404);
  t.equal((await ask(engine.url, own)).status, 404);
  t.equal((await ask(other.url, own)).text, "of another user");
});

t.test("HTML that is served from a link is no page: a file with a policy that permits nothing", async (t) => {
  await put("evil.html", "<script>alert(1)</script>");
  await put("evil.svg", "<svg onload='alert(1)'/>");
  for (const name of ["evil.html", "evil.svg"]) {
    const { headers } = await ask(engine.url, await linkOf(name));
    t.match(headers, {
      "content-type": "application/octet-stream",
      "content-disposition": new RegExp(`^attachment; filename="${name}"`),
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    });
  }
});

t.test("a name cannot break out of the headers of its response", async (t) => {
  const name = 'a"; filename=b.html\r\nSet-Cookie: x=1 ä.txt';
  writeFileSync(join(workspace, name), "x");
  const { status, headers } = await call(`/files/content?path=${encodeURIComponent(name)}`);
  t.equal(status, 200);
  t.notOk(headers["set-cookie"]);
  t.match(headers["content-disposition"], /^attachment; filename="[\w .-]+"; filename\*=UTF-8''[\w%.~!-]+$/);
});
