import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { freshFolder } from "../../helpers/folder.ts";
import { bareRepository, commandBench, fileServer, unless } from "./command-bench.ts";
import { serve } from "./proxy-bench.ts";

t.test("curl reaches a listed host, and the model reads why another one is refused", unless("curl"), async (t) => {
  const { run, asked } = await commandBench(t, { policy: ["shop.example"] });
  const { port, seen } = await serve(t, (_request, response) => response.end("hello"));
  t.match(await run(`curl -sS http://shop.example:${port}/page`), { exit_code: 0, output: "hello" });
  t.same(seen, [`GET shop.example:${port}/page`]);
  const tunnel = await run(`curl -sSp http://shop.example:${port}/tunnelled`);
  t.match(tunnel, { exit_code: 0, output: "hello" }, "by CONNECT");
  t.notOk("network" in tunnel);
  const plain = await run(`curl -sS http://other.example:${port}/`);
  t.match(plain.output, /other\.example:\d+ is refused: the policy field tool_network does not list it/);
  const secure = await run("curl -sS https://other.example/");
  t.equal(secure.exit_code, 56);
  t.same(secure.network, ["other.example:443 is refused: the policy field tool_network does not list it"]);
  t.match((await run("curl -sS ftp://other.example/")).output, /the proxy of the engine's tools takes/);
  t.same(asked, ["shop.example", "shop.example"]);
});

t.test("loopback is refused in words, and reached directly with tool_listen", unless("curl"), async (t) => {
  const inside = await serve(t, (_request, response) => response.end("dev server"), "127.0.0.1");
  const closed = await commandBench(t);
  const refused = await closed.run(`curl -sS http://127.0.0.1:${inside.port}/`);
  t.match(refused.output, /is not on the public internet/);
  t.same(inside.seen, []);
  const open = await commandBench(t, { listen: [inside.port] });
  t.match(await open.run(`curl -sS http://127.0.0.1:${inside.port}/`), { exit_code: 0, output: "dev server" });
  t.match(await open.run(`env -u NO_PROXY -u no_proxy curl -sS http://127.0.0.1:${inside.port}/`), { exit_code: 0 });
  const listed = await commandBench(t, { policy: ["127.0.0.0/8"], listen: [1024] });
  t.match(await listed.run(`curl -sS http://127.0.0.1:${inside.port}/`), { exit_code: 0, output: "dev server" });
});

t.test("without a network programs get no proxy", async (t) => {
  const { run } = await commandBench(t, { policy: "none" });
  t.notMatch((await run("env")).output, /^\w*proxy\w*=/im);
});

t.test("git clones over http", unless("git"), async (t) => {
  const { run } = await commandBench(t, { policy: ["git.example"] });
  const bare = bareRepository(t);
  const { port } = await serve(t, fileServer(bare));
  const cloned = await run(`git clone -q http://git.example:${port}/ clone && git -C clone log --format=%s`);
  t.match(cloned, { exit_code: 0, output: /first/ });
  const refused = await run(`git clone -q http://other.example:${port}/ no`);
  t.equal(refused.exit_code, 128);
  t.match(refused.network, [/other\.example:\d+ is refused/]);
});

t.test("git takes the proxy in a repository that is configured for another one", unless("git"), async (t) => {
  const { run } = await commandBench(t, { policy: ["git.example"] });
  const { port } = await serve(t, fileServer(bareRepository(t)));
  await run("git init -q mine && git -C mine config http.proxy http://proxy.corporate.example:3128");
  const fetch = (host: string) =>
    run(`cd mine && git fetch -q http://${host}:${port}/ && git log --format=%s FETCH_HEAD`);
  t.match(await fetch("git.example"), { exit_code: 0, output: /first/ });
  t.match((await fetch("other.example")).network, [/other\.example:\d+ is refused/]);
});

t.test("fetch of Node.js takes the proxy", async (t) => {
  const { run } = await commandBench(t, { policy: ["shop.example"] });
  const { port } = await serve(t, (_request, response) => response.end("hello"));
  const fetch = (host: string) =>
    run(
      `"${process.execPath}" -e 'fetch("http://${host}:${port}/").then((r) => r.text()).then(console.log, (e) => console.log(String(e.cause)))'`,
    );
  t.match(await fetch("shop.example"), { output: "hello\n" });
  t.match((await fetch("other.example")).network, [/other\.example:\d+ is refused/]);
});

t.test("Python takes the proxy", unless("python3"), async (t) => {
  const { run } = await commandBench(t, { policy: ["shop.example"] });
  const { port } = await serve(t, (_request, response) => response.end("hello"));
  const open = (host: string) =>
    run(`python3 -c 'import urllib.request as u; print(u.urlopen("http://${host}:${port}/").read())'`);
  t.match(await open("shop.example"), { output: /b'hello'/ });
  t.match((await open("other.example")).output, /HTTP Error 403: Forbidden by tool_network/);
});

t.test("npm installs from a listed registry", unless("npm"), async (t) => {
  const { run, workspaceDir } = await commandBench(t, { policy: ["registry.example"] });
  const folder = freshFolder(t);
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), '{"name":"tiny","version":"1.0.0"}');
  writeFileSync(join(folder, "package/index.js"), "module.exports = 42;");
  execFileSync("tar", ["-czf", join(folder, "tiny.tgz"), "-C", folder, "package"]);
  const tarball = readFileSync(join(folder, "tiny.tgz"));
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const { port, seen } = await serve(t, (request, response) => {
    if (request.url === "/tiny.tgz") return response.end(tarball);
    if (request.url !== "/tiny") return response.writeHead(404).end("{}");
    const dist = { tarball: `http://registry.example:${port}/tiny.tgz`, integrity };
    const versions = { "1.0.0": { name: "tiny", version: "1.0.0", dist } };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions }));
  });
  writeFileSync(join(workspaceDir, "package.json"), '{"name":"mine","version":"1.0.0"}');
  const install = (host: string, name: string) =>
    run(
      `npm install --no-update-notifier --no-audit --no-fund --fetch-retries=0 --cache ./cache --registry http://${host}:${port}/ ${name} 2>&1`,
    );
  const installed = await install("registry.example", "tiny");
  t.equal(installed.exit_code, 0, installed.output);
  t.match(seen, [/\/tiny$/, /\/tiny\.tgz$/]);
  t.match(await run("node -p 'require(\"tiny\")'"), { output: "42\n" });
  const refused = await install("other.example", "huge");
  t.not(refused.exit_code, 0);
  t.match(refused.output, /403/);
  t.match(refused.network, [/other\.example:\d+ is refused/]);
});

t.test("pip downloads from a listed index", unless("pip3"), async (t) => {
  const { run } = await commandBench(t, { policy: ["index.example"] });
  const wheel = join(freshFolder(t), "tiny-1.0-py3-none-any.whl");
  const files = `{"tiny.py": "x = 42", "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n", "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n", "tiny-1.0.dist-info/RECORD": ""}`;
  execFileSync("python3", [
    "-c",
    `import zipfile, sys\nz = zipfile.ZipFile(sys.argv[1], "w")\nfor name, text in ${files}.items(): z.writestr(name, text)\nz.close()`,
    wheel,
  ]);
  const { port } = await serve(t, (request, response) => {
    if (request.url?.endsWith(".whl")) return response.end(readFileSync(wheel));
    response.setHeader("content-type", "text/html");
    return response.end('<a href="/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>');
  });
  const download = (host: string) =>
    run(
      `pip3 download --no-cache-dir --disable-pip-version-check --retries 0 --trusted-host ${host} --index-url http://${host}:${port}/simple -d out tiny 2>&1`,
    );
  const done = await download("index.example");
  t.equal(done.exit_code, 0, done.output);
  const refused = await download("other.example");
  t.not(refused.exit_code, 0);
  t.match(refused.network, [/other\.example:\d+ is refused/]);
});
