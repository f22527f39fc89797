import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import root, { type Test } from "tap";
import { caCertificate, hostCertificate, interceptCa } from "../../src/contract/broker/intercept-ca.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freshFolder } from "../helpers/folder.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { findInMemory } from "../helpers/search-memory.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

/** A name of this machine that is not localhost, which programs reach without their proxy. */
const HOST = hostname().toLowerCase();
const address = await lookup(HOST, { family: 4 }).then(
  (found) => found.address,
  () => null,
);
const needed = ["/usr/bin/git", "/usr/bin/npm", "/usr/bin/python3", "/usr/bin/curl"];
const missing = address === null ? "a host name that resolves" : needed.find((program) => !existsSync(program));
if (address === null || missing !== undefined) root.plan(0, `needs ${missing}`);

const VALUE = `value-${randomBytes(16).toString("hex")}`;
const bearer = `Bearer ${VALUE}`;
const basic = (user: string) => `Basic ${Buffer.from(`${user}:${VALUE}`).toString("base64")}`;
const folder = freshFolder(root);

const repositories = join(folder, "git");
const git = (...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { stdio: "ignore" });
git("init", "-b", "main", join(folder, "work"));
writeFileSync(join(folder, "work", "README"), "of the repository");
git("-C", join(folder, "work"), "add", "README");
git("-C", join(folder, "work"), "commit", "-m", "one");
git("clone", "--bare", join(folder, "work"), join(repositories, "private.git"));
mkdirSync(join(folder, "npm", "package"), { recursive: true });
writeFileSync(join(folder, "npm", "package", "package.json"), '{"name":"private-package","version":"1.0.0"}');
const tarball = execFileSync("tar", ["-czf", "-", "-C", join(folder, "npm"), "package"]);
const WHEEL = "private_module-1.0-py3-none-any.whl";
execFileSync("/usr/bin/python3", [
  "-c",
  `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.writestr("private_module.py", "x = 1")
    z.writestr("private_module-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: private-module\\nVersion: 1.0\\n")
    z.writestr("private_module-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("private_module-1.0.dist-info/RECORD", "")`,
  join(folder, WHEEL),
]);

type Answered = readonly [status: number, body: string | Buffer, type?: string | undefined];
/** Answers of the origin, each for whoever has the value. */
async function answerOf(request: IncomingMessage, body: Buffer): Promise<Answered> {
  const { authorization } = request.headers;
  const [path = "", query = ""] = (request.url ?? "").split("?");
  if (path === "/open") return [200, `HTTP/${request.httpVersion}, you sent ${authorization ?? "nothing"}`];
  if (path === "/echo") return [200, `you sent ${body.toString()} ${VALUE}`];
  if (path === "/api") return authorization === bearer ? [200, `welcome ${VALUE}`] : [401, "who are you"];
  if (path.startsWith("/git/"))
    return authorization === basic("alice") ? gitAnswer(request, { path, query, body }) : [401, ""];
  if (path.startsWith("/npm/")) {
    if (authorization !== bearer) return [401, "{}"];
    if (path.endsWith(".tgz")) return [200, tarball];
    const dist = { tarball: `${origin}/npm/private-package.tgz` };
    const versions = { "1.0.0": { name: "private-package", version: "1.0.0", dist } };
    return [200, JSON.stringify({ name: "private-package", "dist-tags": { latest: "1.0.0" }, versions })];
  }
  if (!path.startsWith("/pypi/") || authorization !== basic("alice")) return [401, ""];
  if (path.endsWith(".whl")) return [200, readFileSync(join(folder, WHEEL))];
  return [200, `<a href="../../files/${WHEEL}">${WHEEL}</a>`, "text/html"];
}

async function gitAnswer(
  request: IncomingMessage,
  { path, query, body }: { readonly path: string; readonly query: string; readonly body: Buffer },
): Promise<Answered> {
  const child = spawn("git", ["http-backend"], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: path.slice("/git".length),
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      ...(request.headers["content-encoding"] !== undefined && {
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      }),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(body);
  const all = await buffer(child.stdout);
  const end = all.indexOf("\r\n\r\n");
  const head = all.subarray(0, end).toString();
  const type = /^Content-Type: (.*)$/m.exec(head)?.[1]?.trim();
  return [Number(/^Status: (\d+)/m.exec(head)?.[1] ?? 200), all.subarray(end + 4), type];
}

const originCa = interceptCa(randomBytes(32), { engine: "origin", incarnation: "" });
const server = createSecureServer(
  { ...hostCertificate(originCa, HOST, Date.now()), allowHTTP1: true },
  (request, response) => {
    void buffer(request as NodeJS.ReadableStream).then(async (body) => {
      const [status, answer, type = "application/json"] = await answerOf(request as unknown as IncomingMessage, body);
      response.writeHead(status, { "content-type": type, ...(status === 401 && { "www-authenticate": "Basic" }) });
      response.end(answer);
    });
  },
).listen(0, address ?? undefined);
await once(server, "listening");
root.teardown(() => server.close());
const place = `${HOST}:${(server.address() as AddressInfo).port}`;
const origin = `https://${place}`;
const certificates = join(folder, "origin.pem");
writeFileSync(certificates, caCertificate(originCa, Date.now()));

const dataDir = freshFolder(root);
const fleet = await openFleet(root, {
  dataDir,
  env: { NODE_EXTRA_CA_CERTS: certificates, ORCH_LOG_LEVEL: "trace" },
  policy: { tool_network: [HOST, address ?? ""], intercept: true },
});
const run = {
  description: "Runs a script of the workspace.",
  parameters: { type: "object", properties: { script: { type: "string" } }, required: ["script"] },
  command: { argv: ["/bin/sh", "./{{script}}"], env: { TOKEN: "${secret:TOKEN}" } },
  permission: "allow",
  timeout_s: 120,
};
const archive = await catalogArchive({ "tools/run.json": JSON.stringify(run) });
await fleet.daemon.platform(fleet.platformKey, "/catalog", { method: "PUT", body: archive });
const alice = await fleet.provision("alice");
const set = await fleet.platform("PUT", "/engines/alice/secrets/TOKEN", { value: VALUE, hosts: [place] });
root.equal(set.status, 200, set.text);

let turns = 0;
/** What a script prints that runs with the placeholder in TOKEN. */
async function script(lines: string): Promise<string> {
  const name = `s${++turns}.sh`;
  writeFileSync(join(dataDir, "engines", alice.id, "workspace", name), `${lines}\n`);
  const stream = await alice.execute(`t${turns}`, `/tool run ${JSON.stringify({ script: name })}\n/say done`);
  const { data = {} } = (await stream.all(120_000)).find(({ event }) => event === "tool_result") ?? {};
  return String(data.output ?? data.error);
}
const clean = (t: Pick<Test, "notMatch">, text: string) => t.notMatch(text, VALUE, "the value is in no output");

root.test("curl sends the placeholder and the host gets the value, by HTTP/1.1 and HTTP/2", async (t) => {
  for (const [option, version] of [
    ["--http1.1", "1.1"],
    ["--http2", "2"],
  ]) {
    const shown = await script(
      `curl -sS ${option} -w ' by %{http_version}' -H "Authorization: Bearer $TOKEN" ${origin}/api`,
    );
    t.match(shown, new RegExp(`welcome orchsec_TOKEN\\.[\\w-]+ by ${version}`));
    clean(t, shown);
  }
  const echoed = await script(`curl -sS -d "no token here" ${origin}/echo`);
  t.match(echoed, /you sent no token here orchsec_TOKEN/);
  t.match(await script(`curl -sS ${origin}/open`), /you sent nothing/);
});

root.test("git clones over HTTPS with the placeholder as password", async (t) => {
  // Without the address of the secret, which git would use by itself.
  const clone = `GIT_CONFIG_COUNT=1 git clone -q https://alice:$TOKEN@${place}/git/private.git r 2>&1`;
  const shown = await script(`${clone} && cat r/README && grep -c orchsec_TOKEN r/.git/config`);
  t.match(shown, /of the repository1/);
  clean(t, shown);
});

root.test("npm installs from a registry with the placeholder as its token", async (t) => {
  const shown = await script(`mkdir -p n && cd n && echo '{"name":"x","version":"1.0.0"}' > package.json
printf '%s\\n' "registry=${origin}/npm/" "//${place}/npm/:_authToken=\${TOKEN}" > .npmrc
npm install --no-audit --no-fund private-package 2>&1 && ls node_modules`);
  t.match(shown, /private-package\s*$/);
  clean(t, shown);
});

root.test("pip downloads from an index with the placeholder as password", async (t) => {
  const pip = `/usr/bin/python3 -m pip download -q --disable-pip-version-check --no-deps -d p`;
  const shown = await script(`${pip} --index-url https://alice:$TOKEN@${place}/pypi/simple private-module 2>&1; ls p`);
  t.match(shown, WHEEL);
  clean(t, shown);
});

root.test("Node.js and Python trust the engine's authority by their environment", async (t) => {
  const shown = await script(`/usr/bin/python3 -c 'import os, urllib.request as u
print(u.urlopen(u.Request("${origin}/api", headers={"Authorization": "Bearer " + os.environ["TOKEN"]})).read().decode())'`);
  t.match(shown, /welcome orchsec_TOKEN/);
  clean(t, shown);
});

root.test("attack: the placeholder is sent to another host, or to this one without TLS", async (t) => {
  const other = createSecureServer(
    { ...hostCertificate(originCa, HOST, Date.now()), allowHTTP1: true },
    (request, response) => {
      response.end(`you sent ${(request as unknown as IncomingMessage).headers.authorization}`);
    },
  ).listen(0, address ?? undefined);
  await once(other, "listening");
  t.teardown(() => other.close());
  const elsewhere = `https://${HOST}:${(other.address() as AddressInfo).port}/`;
  const shown = await script(`curl -ksS -H "Authorization: Bearer $TOKEN" ${elsewhere}`);
  t.match(shown, /you sent Bearer orchsec_TOKEN/, "it is worth nothing there");
  clean(t, shown);
  const plain = await script(`curl -sS -H "Authorization: Bearer $TOKEN" http://${place}/api`);
  t.match(plain, /https only/);
  const placed = await script(`curl -sS -H "X-Log: $TOKEN" ${origin}/open`);
  t.match(placed, /may be sent as header only/);
  await until("the misuses are events", async () => {
    const { text } = await fleet.platform("GET", "/events?limit=200");
    return text.includes("not https") && text.includes("other place");
  });
});

root.test("a new value takes effect without a restart", async (t) => {
  const call = `curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $TOKEN" ${origin}/api`;
  const put = (value: string) => fleet.platform("PUT", "/engines/alice/secrets/TOKEN", { value, hosts: [place] });
  t.equal((await put("another-value-0123456789")).status, 200);
  await until("the new value is sent", async () => (await script(call)).includes("401"));
  t.equal((await put(VALUE)).status, 200);
  await until("the old one is again", async () => (await script(call)).includes("200"));
});

root.test("the value is nowhere in the engine, also after its requests", async (t) => {
  const { body } = await fleet.platform("GET", "/engines/alice");
  t.same(findInMemory(body.pid as number, [VALUE]), []);
  t.same(findInMemory(body.pid as number, [alice.id]), [alice.id], "the search can find");
  t.same(findInMemory(brokerPid(dataDir) ?? 0, [VALUE]), [VALUE], "and finds it in the broker");
  const log = readFileSync(join(dataDir, "broker", "log"), "utf8") + fleet.daemon.output();
  t.notMatch(log, VALUE);
  // The search takes seconds, in which the daemon has closed this process's idle connections.
  const answers = () =>
    fleet.platform("GET", "/engines/alice").then(
      () => true,
      () => false,
    );
  await until("the daemon answers", answers);
});

root.test("without the policy field, encrypted requests pass unread", async (t) => {
  await fleet.setPolicy({ intercept: false });
  await alice.post("stop");
  await alice.post("start");
  await alice.isIn("running");
  const shown = await script(`curl -ksS -H "Authorization: Bearer $TOKEN" ${origin}/open; echo "<$SSL_CERT_FILE>"`);
  t.match(shown, /you sent Bearer orchsec_TOKEN/);
  t.match(shown, /<>/);
});
