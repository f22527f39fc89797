import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { gzipSync } from "node:zlib";
import root from "tap";
import { ask } from "../helpers/api.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { ORIGIN_CA, startOrigin } from "../helpers/secret-origin.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const VALUE = "value-of-the-secret-0123456789";
const bearer = `Bearer ${VALUE}`;
const basic = `Basic ${Buffer.from(`alice:${VALUE}`).toString("base64")}`;
const folder = freshFolder(root);

/** A repository that git serves over HTTP to whoever has the password. */
const repositories = join(folder, "git");
function makeRepository(): void {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { stdio: "ignore" });
  const work = join(folder, "work");
  git("init", "-b", "main", work);
  writeFileSync(join(work, "README"), "of the repository");
  git("-C", work, "add", "README");
  git("-C", work, "commit", "-m", "one");
  git("clone", "--bare", work, join(repositories, "private.git"));
  git("-C", join(repositories, "private.git"), "config", "http.receivepack", "true");
}
makeRepository();

/** `package.tgz` with a package.json. */
function packageArchive(): Buffer {
  const packed = join(folder, "npm");
  mkdirSync(join(packed, "package"), { recursive: true });
  writeFileSync(join(packed, "package", "package.json"), '{"name":"private-package","version":"1.0.0"}');
  return execFileSync("tar", ["-czf", "-", "-C", packed, "package"]);
}
const tarball = packageArchive();
/** A wheel with one module. */
function wheel(): Buffer {
  const file = join(folder, "private_module-1.0-py3-none-any.whl");
  execFileSync("python3", [
    "-c",
    `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.writestr("private_module.py", "x = 1")
    z.writestr("private_module-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: private-module\\nVersion: 1.0\\n")
    z.writestr("private_module-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("private_module-1.0.dist-info/RECORD", "")`,
    file,
  ]);
  return readFileSync(file);
}
const wheelFile = wheel();

const origin = await startOrigin(root, {
  answer(_, response, { url, headers, method, body }) {
    const { authorization } = headers;
    const [path = "", query = ""] = url.split("?");
    const denied = () =>
      void response.writeHead(401, { "www-authenticate": "Basic" }).end(`you sent ${authorization ?? "nothing"}`);
    if (path.startsWith("/git/")) {
      if (authorization !== basic) return denied();
      const child = spawn("git", ["http-backend"], {
        env: {
          ...process.env,
          GIT_PROJECT_ROOT: repositories,
          GIT_HTTP_EXPORT_ALL: "1",
          REMOTE_USER: "alice",
          REQUEST_METHOD: method,
          PATH_INFO: path.slice("/git".length),
          QUERY_STRING: query,
          CONTENT_TYPE: headers["content-type"] ?? "",
          ...(headers["content-encoding"] !== undefined && {
            HTTP_CONTENT_ENCODING: headers["content-encoding"],
          }),
        },
        stdio: ["pipe", "pipe", "ignore"],
      });
      const out: Buffer[] = [];
      child.stdout.on("data", (part: Buffer) => out.push(part));
      child.once("close", () => {
        const all = Buffer.concat(out);
        const end = all.indexOf("\r\n\r\n");
        const head = all.subarray(0, end).toString();
        const status = Number(/^Status: (\d+)/m.exec(head)?.[1] ?? 200);
        const type = /^Content-Type: (.*)$/m.exec(head)?.[1]?.trim() ?? "text/plain";
        response.writeHead(status, { "content-type": type }).end(all.subarray(end + 4));
      });
      // It does not read the body of every request.
      child.stdin.on("error", () => undefined);
      return void child.stdin.end(Buffer.from(body, "latin1"));
    }
    if (path === "/registry/private-package") {
      if (authorization !== bearer) return denied();
      const dist = { tarball: `${origin.url}/registry/private-package.tgz` };
      const versions = { "1.0.0": { name: "private-package", version: "1.0.0", dist } };
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ name: "private-package", "dist-tags": { latest: "1.0.0" }, versions }));
    }
    if (path === "/registry/private-package.tgz")
      return authorization === bearer ? void response.end(tarball) : denied();
    if (path === "/pypi/simple/private-module/")
      return authorization === bearer
        ? void response
            .writeHead(200, { "content-type": "text/html" })
            .end('<a href="../../files/private_module-1.0-py3-none-any.whl">private_module-1.0-py3-none-any.whl</a>')
        : denied();
    if (path.startsWith("/pypi/files/")) return authorization === bearer ? void response.end(wheelFile) : denied();
    if (path === "/mcp") return mcp(body, authorization, response);
    if (path === "/redirect") return void response.writeHead(302, { location: `${other.url}/caught` }).end();
    if (path === "/moved") return void response.writeHead(302, { location: `${origin.url}/api` }).end();
    if (path === "/gzip")
      return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(`you sent ${authorization}`));
    return authorization === bearer ? void response.end(`welcome, you sent ${authorization}`) : denied();
  },
});
const other = await startOrigin(root);

/** A server of the Model Context Protocol with one tool, for whoever has the token. */
function mcp(body: string, authorization: string | undefined, response: { writeHead: Function; end: Function }): void {
  if (authorization !== bearer) return void (response.writeHead(401), response.end());
  if (body === "") return void (response.writeHead(405), response.end());
  const { id, method, params } = JSON.parse(body);
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "far", version: "1" },
    },
    "tools/list": { tools: [{ name: "speak", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: `you sent ${authorization}` }] },
  };
  if (id === undefined) return void (response.writeHead(202), response.end());
  const answer = results[method];
  const rest = answer === undefined ? { error: { code: -32601, message: "no such method" } } : { result: answer };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...rest }));
}

const dataDir = freshFolder(root);
const fleet = await openFleet(root, {
  dataDir,
  env: { NODE_EXTRA_CA_CERTS: ORIGIN_CA, ORCH_LOG_LEVEL: "trace" },
  policy: { tool_network: ["localhost", "127.0.0.1"] },
});
const script = (env: Record<string, string>) => ({
  description: "Runs a script of the workspace.",
  parameters: { type: "object", properties: { script: { type: "string" } }, required: ["script"] },
  command: { argv: ["/bin/sh", "./{{script}}"], env },
  permission: "allow",
  timeout_s: 120,
});
const allow = { permissions: { "*": "allow" } };
const files: Record<string, string> = {
  "tools/with_token.json": JSON.stringify(script({ TOKEN: "${secret:TOKEN}", API: "${secret_url:TOKEN}" })),
  "tools/with_git.json": JSON.stringify(script({ PASSWORD: "${secret:GIT}" })),
  "tools/with_npm.json": JSON.stringify(
    script({ NPM_TOKEN: "${secret:TOKEN}", npm_config_registry: `${origin.url}/registry/` }),
  ),
  "tools/with_pip.json": JSON.stringify(script({ T: "${secret:TOKEN}", PIP_INDEX_URL: `${origin.url}/pypi/simple` })),
  "tools/with_none.json": JSON.stringify(script({ TOKEN: "${secret:MISSING}" })),
  "tools/call_api.json": JSON.stringify({
    description: "Calls the API.",
    http: { url: `${origin.url}/api`, headers: { Authorization: "Bearer ${secret:TOKEN}" } },
    permission: "allow",
  }),
  ".mcp.json": JSON.stringify({
    mcpServers: { far: { url: `${origin.url}/mcp`, headers: { Authorization: "Bearer ${secret:TOKEN}" }, ...allow } },
  }),
};
const hosts = [origin.host];
const setToken = (user = "alice", value = VALUE) =>
  fleet.platform("PUT", `/engines/${user}/secrets/TOKEN`, { value, hosts });
const alice = await fleet.provision("alice");
const bob = await fleet.provision("bob");
await setToken();
await setToken("bob", "value-of-bob-0123456789");
await fleet.platform("PUT", "/engines/alice/secrets/GIT", { value: VALUE, hosts, place: "basic", prefix: "alice" });
const pushed = await ask(fleet.daemon.url, "/catalog", {
  method: "PUT",
  headers: { "x-platform-key": fleet.platformKey },
  body: await catalogArchive(files),
});
root.equal(pushed.status, 200, pushed.text);

let turns = 0;
/** The result of one call of a tool, in a turn of its own. */
async function call(tool: string, input: object, who = alice): Promise<string> {
  const stream = await who.execute(`t${++turns}`, `/tool ${tool} ${JSON.stringify(input)}\n/say done`);
  const frames = await stream.all();
  const { data = {} } = frames.find(({ event }) => event === "tool_result") ?? {};
  return String(data.output ?? data.error ?? JSON.stringify(frames));
}
let scripts = 0;
/** Runs a script in the workspace by a tool of the catalog. */
async function run(tool: string, lines: string, who = alice): Promise<string> {
  const name = `script${++scripts}`;
  writeFileSync(join(dataDir, "engines", who.id, "workspace", name), `exec 2>&1\n${lines}\n`, { mode: 0o755 });
  return call(tool, { script: name }, who);
}
const misuses = async () =>
  (await fleet.daemon.admin("/admin/events?limit=200")).body.data.filter(
    ({ type }: { type: string }) => type === "secret.misused",
  );

root.test(
  "curl calls the host by the secret's address, and the token in its environment is a placeholder",
  async (t) => {
    const answer = await run("with_token", 'echo "$TOKEN"; curl -sS "$API/api"; curl -sS "$API/gzip"');
    t.match(answer, /^orchsec_TOKEN\./);
    t.match(answer, /welcome, you sent Bearer orchsec_TOKEN\./);
    t.notMatch(answer, VALUE);
    t.equal(origin.requests.filter(({ headers }) => headers.authorization === bearer).length > 0, true);
    t.match(
      await run("with_token", 'curl -sSL "$API/moved"'),
      /welcome/,
      "a redirect to the same host keeps the secret",
    );
  },
);

root.test("git clones, and pushes, over HTTPS with the address of the repository as it is", async (t) => {
  const answer = await run(
    "with_git",
    `git clone -q ${origin.url}/git/private.git clone && cat clone/README && cd clone && echo more > more && git add more &&
     git -c user.name=t -c user.email=t@example.com commit -qm two && git push -q origin main && echo pushed && cat .git/config`,
  );
  t.match(answer, /of the repository/);
  t.match(answer, /pushed/);
  t.notMatch(answer, VALUE);
  t.equal(
    execFileSync("git", ["-C", join(repositories, "private.git"), "log", "--format=%s", "main"]).toString(),
    "two\none\n",
  );
});

root.test("npm installs a package of a registry that wants a token", async (t) => {
  const answer = await run(
    "with_npm",
    "mkdir -p project && cd project && echo '{}' > package.json && npm install --no-audit --no-fund private-package && cat node_modules/private-package/package.json package-lock.json",
  );
  t.match(answer, /"name":"private-package"/, answer);
  t.notMatch(answer, VALUE);
});

root.test("pip installs a module of an index that wants a token", async (t) => {
  const answer = await run(
    "with_pip",
    "python3 -m pip install --no-cache-dir --disable-pip-version-check --target modules private-module && cat modules/private_module.py",
  );
  t.match(answer, /x = 1/, answer);
  t.notMatch(answer, VALUE);
});

root.test("an HTTP tool and a remote tool server are called with the secret, which the engine never has", async (t) => {
  t.match(await call("call_api", {}), /welcome, you sent Bearer orchsec_TOKEN\./);
  t.match(await call("mcp__far__speak", {}), /you sent Bearer orchsec_TOKEN\./);
  const { body } = await fleet.platform("GET", "/engines/alice");
  t.same(findInMemory(body.pid as number, [VALUE]), [], "the engine's memory");
  t.match((await fleet.platform("GET", "/engines/alice/secrets/TOKEN")).body, { last_used_at: /^20/ });
});

root.test("a placeholder replayed by another engine is refused, and the daemon tells of it", async (t) => {
  const [, stolen = ""] = /(orchsec_\S+)/.exec(await run("with_token", 'echo "$TOKEN"')) ?? [];
  // The engines' tool server is called at another path, also in the background.
  const calls = () => origin.requests.filter(({ url }) => url.startsWith("/api"));
  const before = calls().length;
  const answer = await run(
    "with_token",
    `curl -sS "$(echo "$API" | sed "s|/s/[^/]*|/s/${stolen}|")/api"; curl -sS -H "Authorization: Bearer ${stolen}" "$API/api"`,
    bob,
  );
  t.match(answer, /is not one of this engine/);
  t.equal(calls().length, before + (/welcome|you sent/.test(answer) ? 1 : 0));
  t.notMatch(
    calls()
      .slice(before)
      .map(({ headers }) => headers.authorization),
    bearer,
  );
  await until("the event is there", async () => (await misuses()).length > 0);
  t.match((await misuses())[0], { user_id: "bob", reason: "other engine", data: { name: "TOKEN", host: origin.host } });
});

root.test("a request with a placeholder to another host is refused and told: by the address, and plain", async (t) => {
  const answer = await run(
    "with_token",
    `curl -sS "$(echo "$API" | sed "s|${origin.host}|${other.host}|")/x"; curl -sS -H "X: $TOKEN" http://localhost:${other.port}/`,
  );
  t.match(answer, /may be sent to localhost:\d+ only/);
  t.match(answer, /by https only/);
  t.same(other.requests, []);
  await until("both are told", async () => {
    const reasons = (await misuses()).map(({ reason }: { reason: string }) => reason);
    return reasons.includes("other host") && reasons.includes("not https");
  });
});

root.test("a redirect to another host does not carry the value", async (t) => {
  await run("with_token", `curl -sSL -k --location-trusted -H "Authorization: Bearer $TOKEN" "$API/redirect"`);
  for (const { headers } of other.requests) t.notMatch(JSON.stringify(headers), VALUE);
  t.equal(other.requests.length, 1, "curl followed it by itself");
});

root.test("a tool without its secret says so, and nothing of it runs", async (t) => {
  t.match(await run("with_none", "echo ran"), /there is no secret MISSING/);
});

root.test("after its deletion a secret works no longer, and a new value works without a restart", async (t) => {
  await fleet.platform("DELETE", "/engines/alice/secrets/TOKEN");
  await until("it is refused", async () =>
    /there is no secret TOKEN/.test(await run("with_token", 'curl -sS "$API/api"')),
  );
  await setToken();
  await until("it works", async () => /welcome/.test(await run("with_token", 'curl -sS "$API/api"')));
  t.pass("without a restart");
});

root.test("kill -9 of the broker and of the daemon: tools go on", async (t) => {
  const before = brokerPid(dataDir) ?? 0;
  process.kill(before, "SIGKILL");
  t.match(await run("with_token", 'curl -sS "$API/api"'), /welcome/, "the broker is started again");
  await fleet.daemon.stop("SIGKILL");
  const running = run("with_token", 'curl -sS --max-time 60 "$API/api"');
  await fleet.restart();
  t.match(await running, /welcome/, "a request waits for the next daemon");
});

root.test("a searcher who knows the value finds it in no file, log, event and answer", async (t) => {
  const found = (text: string) => text.includes(VALUE);
  const inFiles = (path: string): string[] =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
      ? readdirSync(path).flatMap((name) => inFiles(join(path, name)))
      : statSync(path, { throwIfNoEntry: false })?.isFile() === true && found(readFileSync(path, "latin1"))
        ? [path]
        : [];
  t.same(inFiles(dataDir), [], "files: workspaces, stores, logs, the database");
  t.notOk(found(fleet.daemon.output()), "the daemon's log");
  for (const path of ["/admin/events?limit=200", "/admin/audit?limit=200", "/metrics", "/products/sleepy/secrets"])
    t.notOk(found((await fleet.daemon.admin(path)).text), path);
  t.notOk(found((await alice.call("/execute/replay?task_id=t1")).text), "the events of a turn");
});
