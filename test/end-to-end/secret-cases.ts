import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { Test } from "tap";
import { createEngineClient } from "../../src/client/engine-client.ts";
import { chatText } from "../engine/model/two-providers.ts";
import { startUpstream, streams } from "../engine/model/upstream.ts";
import type { Answer } from "../helpers/api.ts";
import type { CatalogFiles } from "../helpers/catalog-archive.ts";
import { forward } from "../helpers/cluster-network.ts";
import { freshFolder } from "../helpers/folder.ts";
import { startSecretHost, type testAuthority } from "../helpers/secret-host.ts";
import { until } from "../helpers/until.ts";
import { type Searched, placeSearcher } from "../isolation/secret-searcher.ts";
import { loginCases } from "./login-cases.ts";
import { toolTurns } from "./tool-turns.ts";

const AUDIENCE = "https://api.example.com";
const TURNS = 60;
/** Of one model call, as `chatText` counts it. */
const TOKENS = 13;

export interface SecretPlace {
  /** The daemon's address. Nothing here calls an engine's own. */
  readonly base: string;
  /** `ORCH_PUBLIC_URL` */
  readonly issuer: string;
  /** An address of this machine that the broker and engines reach, and that is not loopback. */
  readonly host: string;
  readonly authority: ReturnType<typeof testAuthority>;
  readonly user: string;
  readonly engine: { readonly id: string; readonly key: string };
  /** A call with the platform key. */
  readonly platform: (method: string, path: string, body?: object) => Promise<Answer>;
  readonly setPolicy: (policy: object) => Promise<unknown>;
  /** `private_hosts` of the policy, which stay. */
  readonly privateHosts: readonly string[];
  /** A call with the admin key. */
  readonly admin: (path: string) => Promise<Answer>;
  readonly push: (files: CatalogFiles) => Promise<void>;
}

/** What has to be nowhere in an engine. */
export interface KnownSecrets {
  readonly values: Readonly<Record<string, string>>;
  /** Runs a script as a tool of the engine, with a placeholder in TOKEN. */
  readonly script: (lines: string) => Promise<string>;
  readonly files: ReturnType<typeof createEngineClient>["files"];
}

/** Keys of providers, secrets of tools, interception, identity, logins and budgets of an engine, on any backend. */
export async function secretCases(t: Test, place: SecretPlace): Promise<KnownSecrets> {
  const { base, issuer, host, authority, user, engine, platform, setPolicy, admin, push } = place;
  const [value, providerKey] = ["value-of-the-user-", "sk-of-the-product-"].map(
    (prefix) => prefix + randomBytes(16).toString("hex"),
  ) as [string, string];
  const parts = { host, value, folder: freshFolder(t), identity: authority.identityOf(host) };
  const secretHost = await startSecretHost(t, parts);
  const service = await startIdentityService(t, host);
  const { url, turn, callTool, restart } = toolTurns(place);
  const script = (lines: string) => callTool("run_script", { script: `exec 2>&1\n${lines}` });
  const setSecret = (sent = value) =>
    platform("PUT", `/engines/${user}/secrets/TOKEN`, { value: sent, hosts: [secretHost.place] });
  const setPassword = () =>
    platform("PUT", `/engines/${user}/secrets/PASSWORD`, {
      value,
      hosts: [secretHost.place],
      place: "basic",
      prefix: "git",
    });

  await setPolicy({ tool_network: [host], intercept: false, requests_per_minute: null });
  for (const { status, text } of [await setSecret(), await setPassword()]) if (status !== 200) throw new Error(text);
  const catalog = {
    "tools/run_script.json": JSON.stringify({
      description: "Runs a script.",
      parameters: { type: "object", properties: { script: { type: "string" } }, required: ["script"] },
      command: {
        argv: ["/bin/sh", "-c", 'eval "$1"', "sh", "{{script}}"],
        env: { TOKEN: "${secret:TOKEN}", API: "${secret_url:TOKEN}" },
      },
      permission: "allow",
      timeout_s: 300,
    }),
    "tools/clone.json": JSON.stringify({
      description: "Clones the repository.",
      command: {
        argv: [
          "/bin/sh",
          "-c",
          `git clone -q https://${secretHost.place}/git/private.git clone 2>&1 && cat clone/README`,
        ],
        env: { PASSWORD: "${secret:PASSWORD}" },
      },
      permission: "allow",
    }),
    "tools/call_api.json": JSON.stringify({
      description: "Calls the API.",
      http: { url: `https://${secretHost.place}/api`, headers: { Authorization: "Bearer ${secret:TOKEN}" } },
      permission: "allow",
    }),
    "tools/orders.json": JSON.stringify({
      description: "Orders.",
      http: { url: `${service.url}/orders`, identity: { audience: AUDIENCE } },
      permission: "allow",
    }),
  };
  await push(catalog);
  await restart();

  await t.test("tools have placeholders, and the broker sends the secrets", async (t) => {
    const shown = await script('echo "$TOKEN"; curl -sS "$API/api"');
    t.match(shown, /^orchsec_TOKEN\.[\w-]+\nwelcome, you sent Bearer orchsec_TOKEN\./);
    t.equal(secretHost.seen.at(-1), `Bearer ${value}`);
    t.match(await callTool("call_api"), /welcome, you sent Bearer orchsec_TOKEN\./);
    t.match(await callTool("clone"), /of the repository/);
    t.notMatch(shown, value);
  });

  await t.test("attack: a tool sends its placeholder to another host", async (t) => {
    const other = `\${API%${secretHost.place}}${service.url.slice("http://".length)}`;
    t.match(await script(`curl -sS "${other}/x"`), /may be sent to .* only/);
    await until("the product is told", async () =>
      (await admin("/admin/events?limit=200")).text.includes("secret.misused"),
    );
  });

  await t.test("a new value and a deletion of a secret take effect without a restart", async (t) => {
    const call = 'curl -sS "$API/api"';
    t.equal((await setSecret("another-value-0123456789")).status, 200);
    await until("the new value is sent", async () => (await script(call)).includes("denied"), 30_000);
    t.equal((await platform("DELETE", `/engines/${user}/secrets/TOKEN`)).status, 200);
    await until("none is sent", async () => (await script(call)).includes("there is no secret TOKEN"), 30_000);
    t.equal((await setSecret()).status, 200);
    await until("it is sent again", async () => (await script(call)).includes("welcome"), 30_000);
  });

  await t.test("a product's service knows for which user an agent calls", async (t) => {
    t.match(await callTool("orders"), /served/);
    const keys = createRemoteJWKSet(new URL(`${base}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(service.tokens.at(-1) ?? "", keys, { issuer, audience: AUDIENCE });
    t.match(payload, { sub: user, act: { engine: engine.id, agent: "default" } });
  });

  await t.test(
    "TLS of tools ends in the broker where the policy intercepts, with an authority that they trust",
    async (t) => {
      const call = `curl -sS -H "Authorization: Bearer $TOKEN" https://${secretHost.place}/api`;
      t.match(
        await script(call),
        /curl: .*certificate/i,
        "without the field, the host's certificate is not known here",
      );
      await setPolicy({ intercept: true });
      await restart();
      t.match(await script(call), /welcome, you sent Bearer orchsec_TOKEN\./);
      t.equal(secretHost.seen.at(-1), `Bearer ${value}`);
      t.match(await script('cat "$SSL_CERT_FILE"'), /BEGIN CERTIFICATE/);
      const python = `import os, urllib.request as u
print(u.urlopen(u.Request("https://${secretHost.place}/api", headers={"Authorization": "Bearer " + os.environ["TOKEN"]})).read().decode())`;
      t.match(await script(`python3 -c '${python}'`), /welcome, you sent Bearer orchsec_TOKEN\./);
    },
  );

  await loginCases(t, { ...place, push: (more) => push({ ...catalog, ...more }), callTool });

  await t.test(
    "a model call has the key of its provider from the broker, and parallel turns keep a budget",
    async (t) => {
      const upstream = await startUpstream(t, streams(chatText("an answer")));
      const { port, pathname } = new URL(upstream.url);
      const reached = await forward(t, { host }, () => ({ host: "127.0.0.1", port: Number(port) }));
      const model = {
        LLM_PROVIDER: "openai-compatible",
        LLM_MODEL: "any",
        LLM_API_KEY: providerKey,
        LLM_BASE_URL: `http://${host}:${reached}${pathname}`,
      };
      await setPolicy({ engine_env: model });
      await restart();
      t.match(JSON.stringify((await turn("talk")).frames), /an answer/);
      t.equal(upstream.received[0]?.headers["authorization"], `Bearer ${providerKey}`);
      const usage = async () => {
        const { body } = await platform("GET", `/engines/${user}/usage`);
        return body.data.reduce((sum: number, row: Usage) => sum + row.input_tokens + row.output_tokens, 0) as number;
      };
      await until("its usage is counted", async () => (await usage()) >= TOKENS);
      await setPolicy({ budgets: { product: { tokens_per_day: (await usage()) + 1 } } });
      const before = upstream.received.length;
      const ends = await Promise.all(
        Array.from({ length: TURNS }, async () => {
          const { status, frames } = await turn("talk");
          const last = frames.at(-1);
          return status === 200 ? (last?.event === "error" ? last.data["error"] : "completed") : status;
        }),
      );
      t.equal(ends.filter((end) => end === "completed").length, 1, JSON.stringify([...new Set(ends)]));
      t.same(
        [...new Set(ends)].filter((end) => ![429, "completed", "BUDGET_EXCEEDED"].includes(end as number)),
        [],
      );
      t.equal(upstream.received.length, before + 1, "one call of the provider");
      await setPolicy({ budgets: {}, engine_env: Object.fromEntries(Object.keys(model).map((name) => [name, null])) });
      await restart();
    },
  );

  const values = { "the user's secret": value, "the provider's key": providerKey };
  return { values, script, files: createEngineClient({ url, key: engine.key }).files };
}

interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** A service that keeps the tokens of its callers. */
async function startIdentityService(t: Test, host: string) {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization?.replace("Bearer ", "") ?? "");
    response.end("served");
  }).listen(0, host);
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, tokens };
}

/** Searches as a tool of the engine, which shares its container and its user: every process, and every file. */
export async function searchAsTool(t: Test, { values, script, files }: KnownSecrets, engineId: string): Promise<void> {
  const folder = freshFolder(t);
  const control = "the engine's id";
  const search = { values: { ...values, [control]: engineId }, all_processes: true };
  placeSearcher(folder, {
    ...search,
    folders: ["/data", "/tmp", "/run", "/etc", "/var", "/home", "/root", "/opt", "/dev/shm"],
  });
  for (const name of ["search-secrets.py", "search.json"]) await files.write(name, readFileSync(join(folder, name)));
  const { found, read } = JSON.parse(await script("python3 search-secrets.py search.json")) as Searched;
  t.comment(`read: ${JSON.stringify(read)}`);
  t.ok(read.files > 10);
  t.ok(read.processes > 1, "the engine and other processes of the container");
  t.match((found[control] ?? []).join("\n"), /memory of another process/, "it can find what the engine has");
  for (const name of Object.keys(values)) t.same(found[name] ?? [], [], name);
}
