import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import t, { type Test } from "tap";
import { landlockAbi } from "../../src/sandbox/landlock/landlock.ts";
import { SealedBox } from "../../src/orchestrator/store/sealed-box.ts";
import { anthropicText } from "../engine/model/two-providers.ts";
import { startUpstream, streams } from "../engine/model/upstream.ts";
import { ask } from "../helpers/api.ts";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { startKnownLogin } from "../helpers/known-login.ts";
import { brokerPid } from "../helpers/model-broker.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { type Searched, placeSearcher, searchAs } from "./secret-searcher.ts";

const skip =
  landlockAbi().problem ??
  (process.getuid?.() !== 0 ? "needs root" : existsSync("/usr/bin/python3") ? false : "needs /usr/bin/python3");
const ROOT = { uid: 0, gid: 0 };
const secret = (prefix: string): string => prefix + randomBytes(24).toString("hex");
/** What must be nowhere that an engine or a tool can look. */
const HOST_KEY = secret("sk-ant-host-");
const PRODUCT_KEY = secret("sk-proj-product-");
const USER_SECRET = secret("value-of-alice-");
const PRODUCT_SECRET = secret("value-of-acme-");
const SECRET_KEY = secret("deployment-");
const ADMIN_KEY = secret("admin-");
/** What the searcher must find, so that it finds anything. */
const WORDS = secret("words-of-alice-");

// It reads all memory of the engine and of the broker, for some fifty forms of each secret.
t.setTimeout(600_000);
t.test("a searcher who knows every secret", { skip }, async (t) => {
  const upstream = await startUpstream(t, streams(anthropicText(WORDS)));
  const dataDir = freshFolder(t, "searched");
  const databaseUrl = await freshDatabaseUrl(t);
  const port = await freePort();
  const env = {
    ORCH_PORT: String(port),
    ORCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ORCH_ISOLATION: "require",
    ORCH_ADMIN_KEY: ADMIN_KEY,
    ORCH_SECRET_KEY: SECRET_KEY,
    ORCH_LOG_LEVEL: "trace",
    LLM_PROVIDER: "sandbox",
    LLM_ANTHROPIC_API_KEY: HOST_KEY,
    LLM_ANTHROPIC_BASE_URL: upstream.url,
  };
  const daemon = await startDaemon(t, { dataDir, databaseUrl, env });
  t.teardown(() => daemon.admin("/products/acme?force=true", { method: "DELETE" }));
  const login = await startKnownLogin(t);
  const policy = {
    engine_env: { LLM_OPENAI_API_KEY: PRODUCT_KEY, ENGINE_LOG_LEVEL: "DEBUG" },
    private_hosts: login.privateHosts,
  };
  const { body: product } = await daemon.admin("/products/register", {
    method: "POST",
    body: { slug: "acme", policy },
  });
  const call = (path: string, body?: object) =>
    daemon.platform(product.platform_api_key, path, body === undefined ? {} : { method: "POST", body });
  const { body: engine } = await call("/engines/provision", { user_id: "alice" });
  const headers = { "x-engine-key": engine.engine_api_key as string };
  const pid = engine.pid as number;
  const folder = join(dataDir, "engines", engine.id as string);
  const { uid, gid } = statSync(folder);
  await until("the engine is loaded", () => existsSync(join(folder, "workspace")));

  /** Runs a turn to its end, with permission for its tools. */
  const turn = async (task: string, message: string, more: object = {}) => {
    const stream = await openStream(engine.url, "/execute", { headers, body: { task_id: task, message, ...more } });
    const asked = () => stream.frames.find(({ event }) => event === "hitl_request");
    await until("a question or the end", () => stream.ended || asked());
    const question = asked();
    if (question !== undefined) {
      const answer = { request_id: question.data.request_id, answer: "allow_once" };
      await ask(engine.url, "/hitl/respond", { method: "POST", headers, body: answer });
    }
    return stream.all(240_000);
  };
  // The engine calls the provider, and an identity token is signed.
  const answered = await turn("talk", `remember ${WORDS}`, { model: "anthropic:claude-sonnet-5" });
  t.match(JSON.stringify(answered), WORDS);
  t.equal(upstream.received.at(-1)?.headers["x-api-key"], HOST_KEY, "the provider got the key");
  t.equal((await ask(daemon.url, "/.well-known/jwks.json")).status, 200);
  // A command has the placeholders of secrets, and the broker their values.
  const hosts = ["localhost:1"];
  const set = [
    await daemon.platform(product.platform_api_key, "/engines/alice/secrets/MINE", {
      method: "PUT",
      body: { value: USER_SECRET, hosts },
    }),
    await daemon.admin("/products/acme/secrets/OURS", { method: "PUT", body: { value: PRODUCT_SECRET, hosts } }),
  ];
  t.same(
    set.map(({ status }) => status),
    [200, 200],
  );
  const variables = {
    MINE: "${secret:MINE}",
    OURS: "${secret:OURS}",
    URL: "${secret_url:MINE}",
    OUR_URL: "${secret_url:OURS}",
  };
  const script = "echo $MINE $OURS; curl -sS $URL/x; curl -sS $OUR_URL/x";
  const tool = {
    description: "Calls hosts.",
    command: { argv: ["sh", "-c", script], env: variables },
    permission: "allow",
  };
  const archive = await catalogArchive({
    "tools/call_hosts.json": JSON.stringify(tool),
    ".mcp.json": JSON.stringify({ mcpServers: login.mcpServers }),
  });
  await daemon.platform(product.platform_api_key, "/catalog", { method: "PUT", body: archive });
  const called = JSON.stringify(await turn("secrets", "/tool call_hosts {}"));
  t.match(called, /orchsec_MINE\.[\w-]+ orchsec_OURS\.[\w-]+/);
  t.match(called, /cannot be reached|not permitted|tool_network/, "the broker had the values and no host");
  // A tool server is called with a login, before and after its renewal.
  await login.signIn((await call("/engines/alice/connections/guarded", {})).body.url);
  const isReady = async () =>
    (await ask(engine.url, "/assets/servers", { headers })).body.servers[0]?.status === "ready";
  await until("the tool server is connected", isReady);
  const whoAmI = async (task: string) => JSON.stringify(await turn(task, "/tool mcp__guarded__whoami {}"));
  t.match(await whoAmI("login"), "you are alice@example.com");
  login.endAccessTokens();
  t.match(await whoAmI("renewed"), "you are alice@example.com");
  t.ok(login.refreshes() > 0);
  const issued = Object.keys(login.secrets()).join("\n");
  for (const name of ["PKCE verifier", "registered client", "RefreshToken", "AccessToken"]) t.match(issued, name);

  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  t.teardown(() => database.end());
  const { rows } = await database.query<{ private_key: Buffer }>("select private_key from identity_keys");
  const pem = new SealedBox(SECRET_KEY).open(rows[0]?.private_key ?? Buffer.alloc(0));
  const secrets = {
    "the provider's key of the host": HOST_KEY,
    "the provider's key of the product": PRODUCT_KEY,
    "a secret of the user": USER_SECRET,
    "a secret of the product": PRODUCT_SECRET,
    "the deployment's secret": SECRET_KEY,
    "the admin key": ADMIN_KEY,
    // The base64 of a key of this curve begins like every other.
    "the key of identity tokens": pem.split("\n")[2] ?? "",
    ...login.secrets(),
  };
  t.ok(Object.values(secrets).every(({ length }) => length > 20));
  const controls = {
    "the engine's id": engine.id as string,
    "words of the user": WORDS,
    "the daemon's address": daemon.url,
  };
  const values = { ...secrets, ...controls };
  const processes = { [pid]: "the engine" };
  /** No secret was found, and each control where it is named. */
  const isClean = (t: Test, { found, read }: Searched, places: Partial<Record<keyof typeof controls, RegExp>>) => {
    t.comment(`read: ${JSON.stringify(read)}`);
    for (const name of Object.keys(secrets)) t.same(found[name] ?? [], [], name);
    for (const [name, place] of Object.entries(places))
      t.match((found[name] ?? []).join("\n"), place, `control: ${name}`);
  };

  await t.test("finds them in the broker, if root looks there", async (t) => {
    const broker = brokerPid(dataDir) ?? 0;
    const { found } = searchAs(ROOT, { values, processes: { [broker]: "the broker" } });
    for (const name of ["the provider's key of the host", "a secret of the user", "a secret of the product"])
      t.same(found[name], ["memory of the broker"], name);
    for (const [name, value] of Object.entries(login.secrets()))
      if (value === login.accessToken()) t.same(found[name], ["memory of the broker"], name);
      // The broker sends renewals, and forgets their answers when they are stored. Its memory may still have the texts.
      else if (!/^(?:Access|Refresh)Token /.test(name)) t.same(found[name] ?? [], [], name);
    t.same(found["the deployment's secret"] ?? [], [], "which has only what is derived from it");
    t.same(found["the key of identity tokens"] ?? [], []);
    t.same(found["the admin key"] ?? [], []);
  });

  await t.test(
    "finds none with a debugger run as the engine's user, in any process, file or environment",
    async (t) => {
      const searched = searchAs({ uid, gid }, { values, processes, all_processes: true, folders: [dataDir, folder] });
      isClean(t, searched, { "the engine's id": /memory of the engine/, "words of the user": /engine\.db/ });
      t.ok(searched.read.refused > 0, "the broker and the daemon refuse it");
    },
  );

  await t.test("finds none in the engine's memory, if root looks there", async (t) => {
    const searched = searchAs(ROOT, { values, processes, folders: [folder] });
    isClean(t, searched, { "the engine's id": /memory of the engine/, "words of the user": /memory of the engine/ });
  });

  await t.test("finds none as a tool", async (t) => {
    const workspace = join(folder, "workspace");
    writeFileSync(join(workspace, "control"), `${engine.id} ${WORDS}`);
    const outside = [dataDir, "/tmp", "/dev/shm", "/var", "/run", "/home", "/root"];
    const command = placeSearcher(workspace, { values, all_processes: true, folders: [workspace, ...outside] });
    const frames = await turn("look", `/tool run_command ${JSON.stringify({ command, timeout_s: 200 })}`);
    const { data } = frames.find(({ event }) => event === "tool_result") ?? { data: null };
    const searched = JSON.parse(data.output.output) as Searched;
    isClean(t, searched, { "the engine's id": /workspace\/control/, "words of the user": /workspace\/control/ });
    t.equal(searched.read.processes, 0, "no process is open to it");
  });

  await t.test("finds none in what leaves the host: logs, events, answers, exports, a bundle, a backup", async (t) => {
    const sinks = freshFolder(t, "sinks");
    const keep = (name: string, content: string | Buffer) => writeFileSync(join(sinks, name), content);
    keep("daemon-log", daemon.output());
    for (const path of ["/engines/alice", "/engines/alice/logs?tail=1000", "/events?limit=200", "/usage"])
      keep(`product${path.replaceAll(/\W/g, "-")}`, (await call(path)).text);
    for (const path of [
      "/admin/engines",
      "/admin/events?limit=200",
      "/admin/audit",
      "/admin/status",
      "/admin/doctor",
      "/metrics",
    ])
      keep(`admin${path.replaceAll(/\W/g, "-")}`, (await daemon.admin(path)).text);
    const { body: turns } = await ask(engine.url, "/turns", { headers });
    const of = (await Promise.all(
      turns.items.map(({ turn_id: id }: { turn_id: string }) =>
        ask(engine.url, `/turns/${id}/requests/1`, { headers }),
      ),
    )) as { text: string }[];
    keep("kept-requests", of.map(({ text }) => text).join("\n"));
    for (const path of ["/assets/catalog", "/assets/servers", "/tasks"])
      keep(`engine${path.replaceAll("/", "-")}`, (await ask(engine.url, path, { headers })).text);
    const orchctl = orchctlOf(t, {
      ...settingsOf(daemon),
      ORCH_PLATFORM_KEY: product.platform_api_key,
      ORCH_PRODUCT: "acme",
      ORCH_ENGINE_KEY: engine.engine_api_key,
      ORCH_BACKUP_DIR: join(dataDir, "backups"),
    });
    const made = async (...args: readonly string[]) => {
      const ran = await orchctl(...args);
      t.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
    };
    await made("tasks", "export", "alice", "talk", "-o", join(sinks, "task-export"));
    await made("memory", "export", "alice", "-o", join(sinks, "memory-export"));
    await made("debug", "bundle", "-o", join(sinks, "bundle.tar.gz"));
    await made("backup", "create");
    const tables = await database.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public'",
    );
    for (const { name } of tables.rows) {
      const { rows } = await database.query(`select row_to_json(t)::text as row from "${name}" t`);
      // Bytes are hexadecimal, as in a dump.
      keep(`table-${name}`, rows.map(({ row }) => row).join("\n"));
    }
    const searched = searchAs(ROOT, { values, folders: [sinks, dataDir] });
    isClean(t, searched, { "the daemon's address": /daemon-log/, "words of the user": /task-export/ });
    const ids = (searched.found["the engine's id"] ?? []).join("\n");
    for (const sink of [
      "product-engines-alice-logs",
      "admin-admin-events",
      "bundle.tar.gz",
      "table-events",
      "backups/",
    ])
      t.match(ids, sink, `control: the search reads ${sink}`);
    const words = (searched.found["words of the user"] ?? []).join("\n");
    for (const sink of ["kept-requests", "memory-export", "backups/"])
      t.match(words, sink, `control: words in ${sink}`);
    t.notMatch(words, /bundle|daemon-log|table-/, "words of the user are in none of these");
    const log = readFileSync(join(dataDir, "broker", "log"), "utf8");
    t.notMatch(log, /orch[em]_/);
  });
});
