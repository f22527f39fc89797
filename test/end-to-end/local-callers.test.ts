import t from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { startEngine } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";

const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
const { port } = new URL(daemon.url);
const own = [
  "localhost",
  `localhost:${port}`,
  "orchd.localhost",
  "127.0.0.1",
  "10.1.2.3:80",
  "[::1]",
  `[fe80::1]:${port}`,
];
const foreign = [
  "evil.example",
  `evil.example:${port}`,
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "a@127.0.0.1",
];

t.test("a site whose name resolves to this host reads nothing that wants no key", async (t) => {
  for (const host of own) {
    for (const path of ["/health", "/ready", "/metrics"])
      t.equal((await ask(daemon.url, path, { headers: { host } })).status, 200, `${path} for ${host}`);
  }
  for (const host of foreign) {
    for (const path of ["/health", "/ready"]) {
      const error = { code: "INVALID_REQUEST", message: /^Host: expected localhost, an IP address or 127\.0\.0\.1$/ };
      t.match(
        await ask(daemon.url, path, { headers: { host } }),
        { status: 400, body: { error } },
        `${path} for ${host}`,
      );
    }
    t.equal((await ask(daemon.url, "/metrics", { headers: { host } })).status, 401, `/metrics for ${host}`);
    t.equal((await daemon.admin("/metrics", { headers: { host } })).status, 200, "with the key it may have any name");
  }
});

t.test("a call through a proxy on the same host keeps its host name, and is not local", async (t) => {
  const headers = { host: "api.example.com", "x-forwarded-for": "203.0.113.7" };
  t.equal((await ask(daemon.url, "/health", { headers })).status, 200);
  const metrics = async (authorization: string) =>
    (await ask(daemon.url, "/metrics", { headers: { ...headers, authorization } })).status;
  t.equal((await ask(daemon.url, "/metrics", { headers })).status, 401);
  t.equal(await metrics("Bearer another-admin-key"), 401);
  t.equal(await metrics(`Bearer ${daemon.adminKey}`), 200, "a scraper sends the admin key as a bearer token");
});

t.test("a page of another site in a browser on this host reads no metrics", async (t) => {
  const metrics = (headers: Readonly<Record<string, string>>) => ask(daemon.url, "/metrics", { headers });
  t.equal((await metrics({ "sec-fetch-site": "cross-site" })).status, 401);
  t.equal((await metrics({ "sec-fetch-site": "same-site" })).status, 401);
  t.equal((await metrics({ origin: "https://evil.example" })).status, 401);
  t.equal((await metrics({ origin: "null" })).status, 401);
  t.equal((await metrics({ "sec-fetch-site": "none" })).status, 200, "who typed the address");
  t.equal((await metrics({ "sec-fetch-site": "same-origin", origin: `http://127.0.0.1:${port}` })).status, 200);
});

t.test("an engine's health answers to its own names alone", async (t) => {
  const engine = await startEngine(t);
  const health = (host: string) => ask(engine.url, "/health", { headers: { host } });
  t.equal((await health("localhost")).status, 200);
  t.match(await health("evil.example"), { status: 400, body: { error: "INVALID_REQUEST", message: /^Host: / } });
});
