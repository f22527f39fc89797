import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { createEngines, memoryKeys } from "../../src/client/index.ts";
import { fileKeys } from "../../src/client/file-keys.ts";
import type { KeyStore } from "../../src/client/key-store.ts";
import { createOrchestratorClient } from "../../src/client/orchestrator-client.ts";
import { freshFolder } from "../helpers/folder.ts";
import { startFakeServer } from "../helpers/fake-server.ts";
import { QUICK } from "./wire.ts";

const REFUSED = { status: 401, body: { error: "INVALID_ENGINE_KEY", message: "another key" } };

/** A daemon and an engine in one, which makes keys `k1`, `k2` and accepts the last one. */
async function startHost(t: Test) {
  const server = await startFakeServer(t);
  const host = { key: 0, isNew: true, admits: 0, rotations: 0 };
  const record = () => ({ id: "eng_1", user_id: "alice", url: server.url });
  server.on("POST /engines/admit", () => {
    host.admits += 1;
    const made = host.isNew ? `k${++host.key}` : null;
    host.isNew = false;
    return { body: { ...record(), engine_api_key: made } };
  });
  server.on("POST /engines/alice/rotate-key", () => {
    host.rotations += 1;
    return { body: { ...record(), engine_api_key: `k${++host.key}` } };
  });
  server.on("GET /hitl/pending", ({ headers }) =>
    headers["x-engine-key"] === `k${host.key}` ? { body: { requests: [] } } : REFUSED,
  );
  server.on("PUT /files/content", ({ headers }) =>
    headers["x-engine-key"] === `k${host.key}` ? { body: { path: "a" } } : REFUSED,
  );
  const orchestrator = createOrchestratorClient({ url: server.url, platformKey: "p", limits: QUICK });
  const enginesBy = (keys: KeyStore) => createEngines({ orchestrator, keys, limits: QUICK });
  return { host, server, enginesBy };
}

t.test("the key of a new engine is stored, and used again by the next program", async (t) => {
  const { host, enginesBy } = await startHost(t);
  const keys = memoryKeys();
  await (await enginesBy(keys).open("alice")).pending();
  await (await enginesBy(keys).open("alice")).pending();
  t.equal(await keys.read("eng_1"), "k1");
  t.match(host, { admits: 2, rotations: 0 });
});

t.test("a key that was lost is replaced once, however many calls come at the same moment", async (t) => {
  const { host, enginesBy, server } = await startHost(t);
  host.isNew = false;
  const keys = memoryKeys();
  const engines = enginesBy(keys);
  const clients = await Promise.all([engines.open("alice"), engines.open("alice"), engines.open("alice")]);
  await Promise.all(clients.map((client) => client.pending()));
  t.match(host, { admits: 1, rotations: 1 });
  t.equal(await keys.read("eng_1"), "k1");
  const rotation = server.calls.find(({ path }) => path.endsWith("/rotate-key"));
  t.match(rotation?.body, { grace_s: 60 }, "another program that does the same is not cut off");
});

t.test("a key that was replaced by somebody else is replaced again, once for all calls", async (t) => {
  const { host, enginesBy } = await startHost(t);
  const engines = enginesBy(memoryKeys());
  const [one, other] = [await engines.open("alice"), await engines.open("alice")];
  host.key += 1;
  await Promise.all([one.pending(), one.pending(), other.pending()]);
  await other.pending();
  t.equal(host.rotations, 1);
});

t.test("a key that another program has stored is used instead of a new one", async (t) => {
  const { host, enginesBy } = await startHost(t);
  const keys = memoryKeys();
  const [here, there] = [enginesBy(keys), enginesBy(keys)];
  const engine = await here.open("alice");
  await there.rotateKey("alice", { graceS: 0 });
  await engine.pending();
  t.equal(host.rotations, 1);
});

t.test("a new key that is refused too is an error", async (t) => {
  const { server, enginesBy } = await startHost(t);
  const engine = await enginesBy(memoryKeys()).open("alice");
  server.on("GET /hitl/pending", REFUSED);
  await t.rejects(engine.pending(), { code: "INVALID_ENGINE_KEY", status: 401 });
});

t.test("a body that is a stream is not sent twice, and the next call has the new key", async (t) => {
  const { host, enginesBy } = await startHost(t);
  const engine = await enginesBy(memoryKeys()).open("alice");
  host.key += 1;
  await t.rejects(engine.files.write("a", new Blob(["{}"]).stream()), { code: "INVALID_ENGINE_KEY" });
  await engine.pending();
  t.equal(host.rotations, 1);
  host.key += 1;
  await engine.files.write("a", "{}");
});

t.test("a store that fails is told, and asked again by the next call", async (t) => {
  const { host, enginesBy } = await startHost(t);
  host.isNew = false;
  const keys = memoryKeys();
  let fails = 1;
  const read = (id: string) => {
    if (fails-- > 0) throw new Error("the database is gone");
    return keys.read(id);
  };
  const engines = enginesBy({ ...keys, read });
  await t.rejects(engines.open("alice"), { message: "the database is gone" });
  await (await engines.open("alice")).pending();
});

t.test("two statements of an SQL database are a store", async (t) => {
  const { host, enginesBy } = await startHost(t);
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE engine_keys (engine_id TEXT PRIMARY KEY, key TEXT NOT NULL)");
  const keys: KeyStore = {
    read: (id) => database.prepare("SELECT key FROM engine_keys WHERE engine_id = ?").get(id)?.["key"] as string,
    write: (id, key) =>
      database
        .prepare("INSERT INTO engine_keys VALUES (?, ?) ON CONFLICT (engine_id) DO UPDATE SET key = excluded.key")
        .run(id, key),
  };
  await (await enginesBy(keys).open("alice")).pending();
  host.key += 1;
  await (await enginesBy(keys).open("alice")).pending();
  t.match(database.prepare("SELECT * FROM engine_keys").all(), [{ engine_id: "eng_1", key: "k3" }]);
});

t.test("a file of keys is for this user of the machine alone, and whole at every moment", async (t) => {
  const path = join(freshFolder(t), "keys.json");
  writeFileSync(`${path}.new`, "of a program that was killed");
  chmodSync(`${path}.new`, 0o644);
  const keys = fileKeys(path);
  t.equal(await keys.read("eng_1"), undefined);
  await Promise.all(Array.from({ length: 20 }, async (_, index) => keys.write(`eng_${index}`, `k${index}`)));
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.equal(Object.keys(JSON.parse(readFileSync(path, "utf8")) as object).length, 20);
  t.equal(await fileKeys(path).read("eng_7"), "k7");
});

t.test("a file that is no list of keys is told without what it has", async (t) => {
  const path = join(freshFolder(t), "keys.json");
  for (const text of ["sk-orch-secret", '["sk-orch-secret"]', '{"eng_1": 7}', '"sk-orch-secret"']) {
    writeFileSync(path, text);
    const error = await Promise.resolve(fileKeys(path).read("eng_1")).catch((error: unknown) => error);
    t.match(error, { message: /expected a JSON object of keys/ }, text);
    t.notMatch(String(error), /secret/);
  }
});
