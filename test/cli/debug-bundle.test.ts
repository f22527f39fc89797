import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { redactLogLine } from "../../cli/bundle/redact-log.ts";
import { redactSecrets } from "../../src/shared/redact-secrets.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { orchctlFor } from "../helpers/orchctl.ts";
import { freshDatabase, urlOf } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

/** What must never be in a bundle, by its kind. */
const CANARIES = {
  adminKey: "canary-admin-key-0001",
  secretKey: "canary-secret-key-0002",
  modelKey: "canary-model-key-0003",
  address: "canary-address-password-0004",
  metadata: "canary-metadata-0005",
  message: "canary-message-0006",
  note: "canary-note-0007",
  productName: "canary-product-name-0008",
};

function unpack(archive: string, folder: string): ReadonlyMap<string, string> {
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

t.test("a bundle describes the daemon, and has no secret, message or metadata", async (t) => {
  const dataDir = freshFolder(t);
  const min = 20_000 + Math.floor(Math.random() * 9000);
  const keys = { ORCH_ADMIN_KEY: CANARIES.adminKey, ORCH_SECRET_KEY: CANARIES.secretKey };
  const env = {
    ...keys,
    ORCH_PORT: String(await freePort()),
    ORCH_PORT_MIN: String(min),
    ORCH_PORT_MAX: String(min + 99),
    LLM_PROVIDER: "sandbox",
    LLM_API_KEY: CANARIES.modelKey,
    LLM_BASE_URL: `https://someone:${CANARIES.address}@model.example/v1`,
  };
  const orchctl = orchctlFor(t, { url: `http://127.0.0.1:${env.ORCH_PORT}` });
  await startDaemon(t, { dataDir, databaseUrl: urlOf(await freshDatabase(t)), env });
  const mine = { ORCH_ADMIN_KEY: CANARIES.adminKey, ORCH_DATA_DIR: dataDir };
  const run = async (...args: string[]) => {
    const ran = await orchctl(args, { env: mine });
    t.equal(ran.code, 0, `${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  };
  t.teardown(() => orchctl(["products", "delete", "demo", "--force", "--yes"], { env: mine }));
  const product = JSON.parse(await run("register", "demo", "--name", CANARIES.productName, "--json"));
  const metadata = join(freshFolder(t), "m.json");
  writeFileSync(metadata, JSON.stringify({ plan: CANARIES.metadata }));
  const engine = JSON.parse(await run("provision", "alice", "--metadata", metadata, "--json"));
  await run(
    "chat",
    "alice",
    `/tool memory_note {"entry_type":"note","content":"${CANARIES.note}"}\n/say ${CANARIES.message}`,
  );
  t.equal((await orchctl(["chat", "alice", `/fail ${CANARIES.message}`], { env: mine })).code, 7);
  process.kill(JSON.parse(await run("show", "alice", "--json")).pid, "SIGKILL");
  await until("the crash is recorded", async () => (await run("events", "alice")).includes("engine.crashed"));
  await run("wait", "alice");

  const archive = join(freshFolder(t), "bundle.tar.gz");
  await run("debug", "bundle", "-o", archive);
  t.equal(statSync(archive).mode & 0o077, 0, "others cannot read it");
  const files = unpack(archive, freshFolder(t));
  for (const name of ["README.txt", "doctor.json", "events.jsonl", `logs/${engine.id}.log`])
    t.ok(files.has(name), name);
  t.match(files.get("events.jsonl"), /"engine\.crashed".*SIGKILL/);
  t.match(JSON.parse(files.get("settings.json")!).daemon, { LLM_API_KEY: "(set)", LLM_BASE_URL: "(set)" });
  t.match(JSON.parse(files.get("engines.json")!), [{ user_id: "alice", metadata: "(1 fields left out)" }]);
  const canaries = { ...CANARIES, platformKey: product.platform_api_key, engineKey: engine.engine_api_key };
  for (const [kind, canary] of Object.entries(canaries)) {
    for (const [name, content] of files) t.notOk(content.includes(canary), `${kind} in ${name}`);
  }
  const again = await orchctl(["debug", "bundle", "-o", archive], { env: mine });
  t.equal(again.code, 2, "an existing file stays");
});

t.test("without a daemon the bundle has what this machine knows, and says what is missing", async (t) => {
  const orchctl = orchctlFor(t, { url: "http://127.0.0.1:1" });
  const archive = join(freshFolder(t), "bundle.tar.gz");
  const ran = await orchctl(["debug", "bundle", "-o", archive], { env: { ORCH_ADMIN_KEY: CANARIES.adminKey } });
  t.equal(ran.code, 0, ran.stderr);
  const files = unpack(archive, freshFolder(t));
  t.match(files.get("status.json.missing"), "ECONNREFUSED");
  t.match(files.get("doctor.json"), "does not answer");
  t.notOk([...files.values()].some((content) => content.includes(CANARIES.adminKey)));
});

t.test("a bundle that cannot be written leaves nothing", async (t) => {
  const folder = freshFolder(t);
  const orchctl = orchctlFor(t, { url: "http://127.0.0.1:1" });
  const path = join(folder, "none", "bundle.tar.gz");
  const ran = await orchctl(["debug", "bundle", "-o", path]);
  t.equal(ran.code, 2);
  t.match(ran.stderr, `--output: ${path} cannot be written (ENOENT)`);
  t.notOk(existsSync(join(folder, "none")));
});

t.test("a log keeps fields and stack frames of orchd, not texts of others", async (t) => {
  const line = JSON.stringify({ level: 50, msg: "turn failed", reply: "hello", err: { type: "E", message: "hello" } });
  t.same(JSON.parse(redactLogLine(line, "engine")), {
    level: 50,
    msg: "turn failed",
    reply: "(left out)",
    err: { type: "E", message: "(left out)" },
  });
  t.equal(redactLogLine("TypeError: hello is no function", "engine"), "TypeError: (message left out)");
  t.equal(redactLogLine("    at run (engine.cjs:1:2)", "engine"), "    at run (engine.cjs:1:2)");
  t.equal(redactLogLine("hello", "engine"), "(5 characters left out)");
  t.match(JSON.parse(redactLogLine('{"reason":"exit","log_tail":["hello"]}', "daemon")), {
    reason: "exit",
    log_tail: ["(5 characters left out)"],
  });
});

t.test("secrets are found by their form, and known ones wherever they are", async (t) => {
  for (const secret of [
    "orchp_AAVQJAR75WBxjSJs1mHohG4kAulaNX7X38N3Qa",
    "orchs_AAVQJAR75WBxjSJs1mHohG4kAulaNX7X38N3Qa",
    "orchl_AAVQJAR75WBxjSJs1mHohG4kAulaNX7X38N3Qa",
    "sk-orch-P2zbfIGyb6S25dCRnU56EmBmA2oje25j4CGdKk",
    "sk-ant-api03-abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    `AIza${"x".repeat(35)}`,
    `ghp_${"a1".repeat(18)}`,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
  ]) {
    t.equal(redactSecrets(`before ${secret} after`, []), "before (redacted) after");
  }
  t.equal(redactSecrets("Authorization: Bearer abcdefgh12", []).includes("abcdefgh12"), false);
  t.equal(redactSecrets("postgres://orchd:s3cret@db/orchd", []), "postgres://(redacted)@db/orchd".replace("@", ""));
  t.equal(
    redactSecrets('{"password":"hunter2","api_key":{"last4":"wxyz"}}', []),
    '{"password":"(redacted)","api_key":{"last4":"wxyz"}}',
  );
  t.equal(redactSecrets("it is my-own-words here", ["my-own-words", "is"]), "it is (redacted) here");
});
