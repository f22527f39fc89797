import { writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import pg from "pg";
import t from "tap";
import { SealedBox } from "../../src/orchestrator/store/sealed-box.ts";
import { openDatabase } from "../../src/orchestrator/store/database.ts";
import { SecretValues } from "../../src/orchestrator/secrets/secret-values.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { orchctlOf, settingsOf } from "../helpers/backup.ts";
import { readFileSync } from "node:fs";
import { freshFolder } from "../helpers/folder.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { until } from "../helpers/until.ts";

const dataDir = freshFolder(t);
const folder = freshFolder(t);
writeFileSync(join(folder, "npm"), "npm_of_the_host");
const fleet = await openFleet(t, { dataDir, env: { ORCH_SECRETS_DIR: folder } });
const VALUE = "ghp_of_alice_0123456789";
const hosts = ["api.github.com"];
const ofUser = (method: string, path = "", body?: object) =>
  fleet.platform(method, `/engines/alice/secrets${path}`, body);
const ofProduct = (method: string, path = "", body?: object) =>
  fleet.daemon.admin(`/products/sleepy/secrets${path}`, { method, ...(body !== undefined && { body }) });
const sql = async (statement: string) => {
  const database = new pg.Client(fleet.databaseUrl);
  await database.connect();
  const { rows } = await database.query(statement);
  await database.end();
  return rows;
};
await fleet.provision("alice");
const productId = (await fleet.daemon.admin("/products/sleepy")).body.id as string;

/** Opens values as the daemon does. */
async function opened(name: string, userId = "alice"): Promise<string | undefined> {
  const database = openDatabase({ connectionString: fleet.databaseUrl }, createLogger("test", "silent"));
  const box = new SealedBox(readFileSync(join(dataDir, "secret-key"), "utf8").trim());
  const none = { variables: {}, folder, command: null, environment: {} };
  try {
    return (await new SecretValues({ db: database.db, box }, none).open({ productId, userId, name }))?.value;
  } finally {
    await database.close();
  }
}

t.test("a secret is set, shown without its value, replaced and deleted", async (t) => {
  const set = await ofUser("PUT", "/GITHUB", { value: VALUE, hosts });
  t.match(set, {
    status: 200,
    body: {
      name: "GITHUB",
      hosts,
      place: "header",
      header: "Authorization",
      prefix: "Bearer ",
      hash_prefix: /^[0-9a-f]{8}$/,
    },
  });
  t.match((await ofUser("GET")).body, { secrets: [{ name: "GITHUB", last_used_at: null }] });
  t.equal(await opened("GITHUB"), VALUE);
  await ofUser("PUT", "/GITHUB", { value: `${VALUE}-2`, hosts: ["*.GitHub.com", "*.github.com"], place: "basic" });
  t.match((await ofUser("GET", "/GITHUB")).body, { hosts: ["*.github.com"], place: "basic", prefix: "token" });
  t.equal(await opened("GITHUB"), `${VALUE}-2`);
  t.same((await ofUser("DELETE", "/GITHUB")).body, { deleted: true });
  t.equal(await opened("GITHUB"), undefined);
});

t.test("a user's secret wins over the product's of the same name", async (t) => {
  await ofProduct("PUT", "/SHARED", { value: "of the product", hosts });
  t.equal(await opened("SHARED"), "of the product");
  await ofUser("PUT", "/SHARED", { value: "of the user", hosts });
  t.equal(await opened("SHARED"), "of the user");
  t.equal(await opened("SHARED", "bob"), "of the product");
  await ofUser("DELETE", "/SHARED");
  t.equal(await opened("SHARED"), "of the product");
});

t.test("a product's value is read from the operator's file, and is in no row", async (t) => {
  t.match((await ofProduct("PUT", "/NPM", { from: "file:npm", hosts })).body, { from: "file:npm", hash_prefix: null });
  t.equal(await opened("NPM"), "npm_of_the_host");
  t.match(await ofProduct("PUT", "/NPM", { from: "file:../admin-key", hosts }), { status: 400 });
});

t.test("a sealed value that is moved to the row of another user or name opens nowhere", async (t) => {
  await ofProduct("PUT", "/MINE", { value: "of the product", hosts });
  await sql("update secrets set name = 'THEIRS' where name = 'MINE'");
  await t.rejects(opened("THEIRS"));
  await ofProduct("DELETE", "/THEIRS");
});

t.test("no more than a hundred are kept, also of many that are set at once", async (t) => {
  // They wait for one lock, longer than for a statement where the machine is busy.
  const put = (at: number) =>
    until(`S${at} is taken or refused`, async () => {
      const answer = await ofUser("PUT", `/S${at}`, { value: `value-${at}-0123`, hosts });
      return answer.status === 503 ? null : answer;
    });
  const answers = await Promise.all(Array.from({ length: 105 }, (_, at) => put(at)));
  t.equal(answers.filter(({ status }) => status === 200).length, 100);
  t.equal(answers.filter(({ status }) => status === 429).length, 5);
  t.match(await put(200), { body: { error: { code: "QUOTA_EXCEEDED" } } });
  t.equal((await ofUser("PUT", "/S0", { value: "replaced-0123", hosts })).status, answers[0]?.status);
});

t.test("neither the audit log nor an event has a value", async (t) => {
  const lines = (await fleet.daemon.admin("/admin/audit?limit=200")).text;
  t.match(lines, /secret\.set/);
  t.match(lines, /secret\.deleted/);
  for (const text of [lines, (await fleet.daemon.admin("/admin/events?limit=200")).text, fleet.daemon.output()])
    for (const value of [VALUE, "of the product", "npm_of_the_host"]) t.notMatch(text, value);
});

t.test("a user's secrets are deleted with the user, and kept with kept data", async (t) => {
  await fleet.provision("carol");
  await fleet.platform("PUT", "/engines/carol/secrets/HERS", { value: "of carol 0123", hosts });
  const count = async () => (await sql("select from secrets where user_id = 'carol'")).length;
  await fleet.platform("DELETE", "/engines/carol?keep_data=true");
  t.equal(await count(), 1);
  t.match(await fleet.platform("GET", "/engines/carol/secrets"), { status: 404 });
  await fleet.platform("DELETE", "/engines/carol");
  t.equal(await count(), 0);
  await fleet.provision("carol");
  await fleet.platform("PUT", "/engines/carol/secrets/HERS", { value: "of carol 0123", hosts });
  const racing = [fleet.platform("DELETE", "/engines/carol")];
  for (let at = 0; at < 20; at++)
    racing.push(fleet.platform("PUT", `/engines/carol/secrets/R${at}`, { value: "of carol 0123", hosts }));
  await Promise.all(racing);
  t.equal(await count(), 0, "nor does one remain that is set meanwhile");
});

t.test("orchctl sets from standard input or a file, and rotates the key over kill -9", async (t) => {
  const env = { ...settingsOf(fleet.daemon), ORCH_PRODUCT: "sleepy", ORCH_PLATFORM_KEY: fleet.platformKey };
  const orchctl = orchctlOf(t, env);
  const file = join(folder, "value");
  writeFileSync(file, "value-of-the-file\n");
  t.match(await orchctl("secrets", "set", "CLI", "--hosts", "a.example.com,b.example.com", "--file", file), {
    code: 0,
    stdout: /a\.example\.com, b\.example\.com/,
  });
  t.match(await orchctl("secrets", "set", "CLI", "--user", "alice", "--hosts", "a.example.com", "--from", "env:X"), {
    code: 2,
  });
  t.match((await orchctl("secrets", "list")).stdout, /CLI +a\.example\.com/);
  t.equal(await opened("CLI"), "value-of-the-file");
  t.match((await orchctl("secrets", "delete", "CLI", "--yes")).stdout, /deleted CLI/);
  await ofProduct("PUT", "/KEPT", { value: "kept over a rotation", hosts });
  await fleet.setPolicy({ engine_env: { LLM_API_KEY: "a key of the product" } });
  const { incarnation } = (await fleet.platform("GET", "/engines/alice")).body;
  await fleet.daemon.stop("SIGKILL");
  renameSync(join(dataDir, "secret-key"), join(dataDir, "secret-key.previous"));
  writeFileSync(join(dataDir, "secret-key"), randomBytes(32).toString("base64url"), { mode: 0o600 });
  await fleet.restart();
  // The token of its control interface follows from the key, and so does its key for the broker.
  await until("an engine of before is started again", async () => {
    const { body } = await fleet.platform("GET", "/engines/alice");
    return body.state === "running" && body.incarnation !== incarnation;
  });
  const check = async () => (await orchctlOf(t, settingsOf(fleet.daemon))("doctor")).stdout;
  t.match(await check(), /warning +secret key +.*previous/);
  const rotating = fleet.daemon.admin("/admin/secrets/rotate-master", { method: "POST", body: {} }).catch(() => null);
  await fleet.daemon.stop("SIGKILL");
  await rotating;
  await fleet.restart();
  const rotate = await orchctlOf(t, { ...env, ...settingsOf(fleet.daemon) })("secrets", "rotate-master");
  t.match(rotate, { code: 0, stdout: /no longer needed/ }, rotate.stderr);
  await fleet.daemon.stop();
  renameSync(join(dataDir, "secret-key.previous"), join(folder, "removed"));
  await fleet.restart();
  t.equal(await opened("KEPT"), "kept over a rotation");
  t.same((await fleet.daemon.admin("/products/sleepy")).body.engine_env_names, ["LLM_API_KEY"]);
  t.match(await fleet.platform("GET", "/engines/alice/wait?state=running&timeout_s=60"), { status: 200 });
  await ofProduct("DELETE", "/KEPT");
});
