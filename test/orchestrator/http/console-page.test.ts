import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import t, { type Test } from "tap";
import { createWaitingApp } from "../../../src/orchestrator/http/waiting-app.ts";
import { OriginCheck } from "../../../src/orchestrator/http/origin-check.ts";
import { LeaderProxy } from "../../../src/orchestrator/http/forward-to-leader.ts";
import { Metrics } from "../../../src/orchestrator/status/metrics.ts";
import { Replica } from "../../../src/orchestrator/status/replica-role.ts";
import { Readiness } from "../../../src/orchestrator/status/readiness.ts";
import { listenAt } from "../../../src/shared/http/http-server.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { ask } from "../../helpers/api.ts";
import { freshFolder } from "../../helpers/folder.ts";

const SCRIPT = "document.title = 1";
const CODE = "export const code = 1;".repeat(50);
const consoleDir = freshFolder(t, "console");
mkdirSync(join(consoleDir, "assets"));
writeFileSync(join(consoleDir, "index.html"), `<script>${SCRIPT}</script><script src="assets/a-1.js"></script>`);
writeFileSync(join(consoleDir, "assets/a-1.js"), CODE);
writeFileSync(join(consoleDir, "assets/a-1.js.br"), brotliCompressSync(CODE));
writeFileSync(join(consoleDir, "secret.js"), "outside");

const open = async (t: Test, folder: string) => {
  const parts = { startedAt: 0, hostId: "host_1", documentsDir: folder, consoleDir: folder, oidc: null };
  const site = new OriginCheck({ host: "127.0.0.1", publicUrl: "https://agents.example.com/orchd" });
  const replica = new Replica(null);
  const calls = { replica, leaderProxy: new LeaderProxy(replica), metrics: new Metrics(replica), adminKey: "" };
  const app = createWaitingApp(new Readiness(), { ...parts, ...calls, site, logger: createLogger("test", "silent") });
  const server = await listenAt(app, { host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close(1000));
  return `http://127.0.0.1:${server.port}`;
};
const url = await open(t, consoleDir);

t.test("the page runs its own scripts alone, in no frame, also while the daemon starts", async (t) => {
  const page = await ask(url, "/console/");
  t.match(page, { status: 200, headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" } });
  const hash = createHash("sha256").update(SCRIPT).digest("base64");
  const policy = String(page.headers["content-security-policy"]);
  t.ok(policy.startsWith(`default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; `), policy);
  for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"]) t.ok(policy.includes(rule));
  t.match(page.headers, { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  const again = await ask(url, "/console/", { headers: { "if-none-match": String(page.headers["etag"]) } });
  t.match(again, { status: 304, text: "" });
  t.match(await ask(url, "/console"), { status: 308, headers: { location: "console/" } }, "relative, under any prefix");
});

t.test("files are kept by browsers, compressed as they accept", async (t) => {
  const plain = await ask(url, "/console/assets/a-1.js");
  t.match(plain, { status: 200, text: CODE, headers: { "content-type": "text/javascript; charset=utf-8" } });
  t.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
  const response = await fetch(`${url}/console/assets/a-1.js`, { headers: { "accept-encoding": "br" } });
  t.equal(response.headers.get("content-encoding"), "br");
  t.equal(await response.text(), CODE);
  const head = await ask(url, "/console/assets/a-1.js", { method: "HEAD" });
  t.match(head, { status: 200, text: "" });
});

t.test("nothing outside the folder is served, and a missing build is named", async (t) => {
  for (const name of ["..%2fsecret.js", "%2e%2e%2fsecret.js", "..", "a-1.js.br", ".hidden.js", "nothing.js"])
    t.equal((await ask(url, `/console/assets/${name}`)).status, 404, name);
  const bare = await open(t, freshFolder(t, "bare"));
  t.match(await ask(bare, "/console/"), { status: 404, body: { error: { message: /built without the console/ } } });
});

t.test("the page answers to the daemon's names alone", async (t) => {
  t.equal((await ask(url, "/console/", { headers: { host: "evil.example" } })).status, 400);
  t.equal((await ask(url, "/console/", { headers: { host: "agents.example.com" } })).status, 200);
});
