import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import t from "tap";
import { signWebhook } from "../../src/contract/orchestrator/webhook-signature.ts";
import { daemonKey } from "../../src/orchestrator/status/daemon-key.ts";
import { SealedBox } from "../../src/orchestrator/store/sealed-box.ts";
import { ask } from "../helpers/api.ts";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { openConsole } from "../helpers/console.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freshFolder } from "../helpers/folder.ts";
import { startKnownLogin } from "../helpers/known-login.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { base64, png } from "../helpers/sample-files.ts";
import { decides, startHook } from "../helpers/tool-hook.ts";
import { until } from "../helpers/until.ts";

t.test(
  "no key and no word of a user is found in any sink: logs, files, environments, command lines, answers",
  async (t) => {
    const dataDir = freshFolder(t);
    const port = await freePort();
    const addresses = { ORCH_PORT: String(port), ORCH_PUBLIC_URL: `http://127.0.0.1:${port}` };
    const daemon = await startDaemon(t, { dataDir, env: { ORCH_LOG_LEVEL: "trace", ...addresses } });
    const providerKey = "provider-key-that-must-stay-hidden";
    const policy = {
      attachment_kinds: ["text"],
      engine_env: { LLM_API_KEY: providerKey, LLM_PROVIDER: "sandbox", ENGINE_LOG_LEVEL: "DEBUG" },
    };
    const { body: product } = await daemon.admin("/products/register", {
      method: "POST",
      body: { slug: "hush", policy },
    });
    const platformKey = product.platform_api_key as string;
    const { body: engine } = await daemon.platform(platformKey, "/engines/provision", {
      method: "POST",
      body: { user_id: "alice" },
    });
    const headers = { "x-engine-key": engine.engine_api_key as string };
    const message = "words-of-the-user-that-nobody-logs";
    await ask(engine.url, "/execute", { method: "POST", headers, body: { task_id: "t", message: `/say ${message}` } });
    await ask(engine.url, "/execute", {
      method: "POST",
      headers,
      body: { task_id: "t", message: `/say ${message}\n/fail provider` },
    });
    const attached = (bytes: Uint8Array) =>
      ask(engine.url, "/execute", {
        method: "POST",
        headers,
        body: {
          task_id: "t",
          message: [
            { type: "text", text: "/attachments" },
            { type: "file", data: base64(bytes) },
          ],
        },
      });
    const inFile = base64(Buffer.from(message));
    t.match((await attached(Buffer.from(message))).text, /"attachments":\[\{"kind":"text"/);
    const refused = await attached(png(1, 1));
    t.match(refused.body, { message: "message.1: the policy does not allow image attachments" }, "the policy holds");
    await ask(engine.url, "/hitl/respond", {
      method: "POST",
      headers,
      body: { request_id: "hitl-x", answer: message },
    });
    const { body: webhook } = await daemon.platform(platformKey, "/engines/alice/webhooks", {
      method: "POST",
      body: { name: "inbox", template: "/say {{payload.text}}" },
    });
    const sent = { id: "msg_1", timestamp: String(Math.floor(Date.now() / 1000)) };
    const payload = Buffer.from(JSON.stringify({ text: message }));
    const delivered = await ask(daemon.url, webhook.path, {
      method: "POST",
      body: payload,
      headers: {
        "webhook-id": sent.id,
        "webhook-timestamp": sent.timestamp,
        "webhook-signature": signWebhook(webhook.secret, { ...sent, body: payload }),
      },
    });
    t.equal(delivered.status, 202);
    const runs = `/engines/alice/webhooks/${webhook.id}/runs`;
    await until("the webhook's turn has ended", async () => {
      const { body } = await daemon.platform(platformKey, runs);
      return body.data[0]?.ended_at ?? null;
    });
    const { body: turns } = await ask(engine.url, "/turns", { headers });
    const kept = `/turns/${turns.items.at(-1).turn_id}/requests/1`;
    const request = (await ask(engine.url, kept, { headers })).text;
    t.match(request, message, "the request to the model is kept");
    const content = "/files/content?path=words.txt";
    t.equal((await ask(engine.url, content, { method: "PUT", headers, body: message })).status, 201);
    const { body: fileLink } = await ask(engine.url, "/files/links", {
      method: "POST",
      headers,
      body: { path: "words.txt" },
    });
    const linked = await ask(daemon.url, fileLink.link);
    t.equal(linked.text, message, "the link of a file works");
    t.equal((await ask(daemon.url, `${fileLink.link}x.`)).status, 404);
    const hook = await startHook(t);
    const hooked = { url: hook.url, tools: ["list_files"], timeout_ms: 500 };
    await daemon.admin("/products/hush/policy", {
      method: "PUT",
      body: { private_hosts: [hook.host], tool_hook: hooked },
    });
    const { body: hookSecret } = await daemon.admin("/products/hush/tool-hook/rotate-secret", {
      method: "POST",
      body: {},
    });
    const listed = `/tool list_files {"path":"${message}"}`;
    for (const answer of [decides({ verdict: "deny", reason: message }), decides({ verdict: message })]) {
      hook.answer = answer;
      await ask(engine.url, "/execute", { method: "POST", headers, body: { task_id: "t", message: listed } });
    }
    t.same(
      hook.calls.map(({ data }) => data["input"]),
      [{ path: message }, { path: message }],
      "the product is sent what the call says",
    );
    const { body: rotated } = await daemon.platform(platformKey, "/engines/alice/rotate-key", {
      method: "POST",
      body: {},
    });
    await daemon.platform(`${platformKey}x`, "/engines");
    const { body: user } = await daemon.platform(platformKey, "/engines/alice/tokens", {
      method: "POST",
      body: { metadata: { session: "s1" }, tasks: { ids: ["t"] } },
    });
    const asUser = { authorization: `Bearer ${user.token}` };
    const said = { task_id: "t", message: `/say ${message}` };
    t.equal((await ask(daemon.url, "/me/execute", { method: "POST", headers: asUser, body: said })).status, 200);
    t.equal((await ask(daemon.url, `/me/tasks?token=${user.token}`, { headers: asUser })).status, 200);
    t.equal((await ask(daemon.url, `/me/nowhere?token=${user.token}`, { headers: asUser })).status, 404);
    t.equal((await ask(daemon.url, "/me/tasks", { headers: { authorization: `Bearer ${user.token}x` } })).status, 401);
    const vault = { value: "value-of-the-vault-that-must-stay-hidden", hosts: ["api.example.com"] };
    const setting = { method: "PUT", body: vault };
    t.equal((await daemon.platform(platformKey, "/engines/alice/secrets/GITHUB", setting)).status, 200);
    t.equal((await daemon.admin("/products/hush/secrets/GITHUB", setting)).status, 200);
    t.equal(
      (await daemon.admin("/products/hush/secrets/BAD", { method: "PUT", body: { ...vault, hosts: [] } })).status,
      400,
    );
    const login = await startKnownLogin(t);
    await daemon.admin("/products/hush/policy", {
      method: "PUT",
      body: { private_hosts: [hook.host, ...login.privateHosts] },
    });
    const catalog = await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers: login.mcpServers }) });
    await daemon.platform(platformKey, "/catalog", { method: "PUT", body: catalog });
    await login.signIn(
      (await daemon.platform(platformKey, "/engines/alice/connections/guarded", { method: "POST" })).body.url,
    );
    const withKey = { headers: { "x-engine-key": rotated.engine_api_key as string } };
    const servers = () => ask(engine.url, "/assets/servers", withKey);
    await until("it is connected", async () => (await servers()).body.servers[0]?.status === "ready");
    for (const task_id of ["login", "renewed"]) {
      const body = { task_id, message: "/tool mcp__guarded__whoami {}\n/say done" };
      const { text } = await ask(engine.url, "/execute", { ...withKey, method: "POST", body });
      t.match(text, "you are alice@example.com");
      login.endAccessTokens();
    }
    t.ok(login.refreshes() > 0);
    const { body: link } = await daemon.admin("/console/links", { method: "POST", body: {} });
    const console = await openConsole(daemon, { link: link.link });
    const [, sessionToken = ""] = console.cookie.split("=");
    await console.call(`/e/${engine.id}/execute/cancel`, { method: "POST", body: { task_id: "none" } });
    await console.call("/engines", { product: "hush" });
    const answers = [
      (await daemon.platform(platformKey, "/engines/alice")).text,
      (await daemon.platform(platformKey, "/engines/alice/logs?tail=1000")).text,
      (await daemon.admin("/products")).text,
      (await daemon.admin("/products/hush")).text,
      (await daemon.platform(platformKey, "/events?limit=200")).text,
      (await daemon.platform(platformKey, "/engines/alice/webhooks")).text,
      (await daemon.platform(platformKey, runs)).text,
      (await daemon.platform(platformKey, "/engines/alice/usage")).text,
      (await daemon.platform(platformKey, "/usage")).text,
      (await daemon.platform(platformKey, "/catalog")).text,
      (await daemon.platform(platformKey, "/engines/alice/secrets")).text,
      (await daemon.platform(platformKey, "/engines/alice/connections")).text,
      (await servers()).text,
      (await daemon.admin("/products/hush/secrets/GITHUB")).text,
      (await daemon.admin("/admin/events?limit=200")).text,
      (await daemon.admin("/admin/audit?limit=200")).text,
      (await daemon.admin("/admin/engines")).text,
      (await daemon.admin("/admin/status")).text,
      (await daemon.admin("/admin/sessions")).text,
      (await daemon.admin("/metrics")).text,
    ];
    const store = new DatabaseSync(join(dataDir, "engines", engine.id, "engine.db"), { readOnly: true });
    const row = store.prepare("select value ->> '$.key' as key from engine_state where name = 'link_secret'").get();
    store.close();
    const linkSecret = String(row?.["key"]);
    const secrets = [
      platformKey,
      engine.engine_api_key,
      rotated.engine_api_key,
      providerKey,
      vault.value,
      ...Object.values(login.secrets()),
      webhook.secret,
      hookSecret.secret,
      user.token,
      "BEGIN PRIVATE KEY",
      // Its signature alone would do harm too, beside words that are no secret.
      String(user.token).split(".")[2] ?? user.token,
      link.link,
      String(fileLink.link).split(".")[1] ?? fileLink.link,
      linkSecret,
      sessionToken,
      daemonKey({ box: new SealedBox(readFileSync(join(dataDir, "secret-key"), "utf8").trim()) }, engine.id),
      daemon.adminKey,
      message,
      inFile,
    ] as string[];
    const processes = [daemon.process.pid ?? 0, engine.pid as number, brokerPid(dataDir) ?? 0].flatMap((pid) =>
      ["environ", "cmdline"].map((file) => readFileSync(`/proc/${pid}/${file}`, "latin1")),
    );
    const log = [join("engines", engine.id, "engine.log"), join("broker", "log")]
      .map((file) => readFileSync(join(dataDir, file), "latin1"))
      .join("\n");
    const exposed = (text: string) => secrets.some((secret) => text.includes(secret));
    t.notOk(exposed(daemon.output()), "the daemon's log holds no secret");
    t.notOk(exposed(log), "no log of the engine and of the broker holds a secret");
    t.same(answers.filter(exposed), [], "no response holds a secret");
    const inRequest = secrets.filter((secret) => secret !== message && request.includes(secret));
    t.same(inRequest, [], "no request to a model holds a key");
    t.same(processes.filter(exposed), [], "no environment and no command line holds a secret");
    t.same(readdirSync(join(dataDir, "run")), [], "no launch file is left");
    const { stdout, stderr } = await orchctlOf(t, settingsOf(daemon))("--json", "backup", "create");
    const backup = JSON.parse(stdout || stderr);
    const archive = gunzipSync(readFileSync(join(backup.dir, backup.name))).toString("latin1");
    // A backup has what a host needs, with its admin key, and the engines' stores.
    const inBackup: readonly string[] = [daemon.adminKey, message, inFile, linkSecret];
    t.same(
      secrets.filter((secret) => !inBackup.includes(secret) && archive.includes(secret)),
      [],
      "a backup holds no key, no session and no link",
    );
    t.ok(archive.includes(message), "it is read as it is stored");
    await daemon.platform(platformKey, "/engines/alice", { method: "DELETE" });
    await daemon.stop();
    // The store of a user's own words is the engine's; it is gone. Of keys the files know no more than hashes.
    const keys = secrets.filter((secret) => secret !== daemon.adminKey);
    const files = await until("the files are read", () => filesBelow(dataDir));
    t.ok(files.length > 100, `${files.length} files`);
    const holdsKey = (file: string) => {
      const bytes = readFileSync(file, "latin1");
      return keys.some((secret) => bytes.includes(secret));
    };
    t.same(files.filter(holdsKey), [], "no file holds a key");
  },
);

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
