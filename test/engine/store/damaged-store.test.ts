import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t, { type Test } from "tap";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { StoreUnusable } from "../../../src/engine/store/store-unusable.ts";
import { EventTable } from "../../../src/engine/store/events.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const PAGE = 4096;

/** A folder with a store that holds something, closed. */
function filled(t: Test): { readonly folder: string; readonly file: string } {
  const folder = t.testdir();
  const store = openStore(folder);
  const insert = store.db.prepare(
    "insert into messages (task_id, turn_id, thread, role, created_at, content) values ('t', ?, 'a', 'user', 1, ?)",
  );
  store.transaction(() => {
    for (let n = 0; n < 2000; n++) insert.run(`turn_${n}`, JSON.stringify("words ".repeat(50)));
  });
  store.close();
  return { folder, file: join(folder, "engine.db") };
}

function overwrite(file: string, from: number, bytes: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.alloc(bytes, 0xa5), 0, bytes, from);
  closeSync(fd);
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  "is no database": (file) => writeFileSync(file, "these are no pages\n".repeat(1000)),
  "was cut off": (file) => truncateSync(file, 3 * PAGE),
  "was cut off within a page": (file) => truncateSync(file, 2 * PAGE + 100),
  "was cut down to its first bytes": (file) => truncateSync(file, 50),
  "was cut down to nothing": (file) => truncateSync(file, 0),
  "has lost the page that says what is where": (file) => overwrite(file, 100, PAGE - 200),
};

for (const [what, damage] of Object.entries(DAMAGES)) {
  t.test(`a store that ${what} is moved aside, and every start reports it`, async (t) => {
    const { folder, file } = filled(t);
    damage(file);
    const damaged = readFileSync(file);
    const store = openStore(folder);
    const { current, isNew } = store.reset;
    t.ok(isNew);
    t.match(current, { at: /^\d{4}-.*Z$/, old_file: join(folder, "engine.db.corrupt-"), reason: /\w/ });
    t.same(readFileSync(current?.old_file ?? ""), damaged);
    t.same(store.db.prepare("select count(*) as n from messages").get(), { n: 0 });
    t.ok(new EventTable(store).last().seq > 1e12, "no number of an event comes again");
    store.close();
    const again = openStore(folder);
    t.same(again.reset.current, current);
    t.notOk(again.reset.isNew);
    again.reset.clear();
    again.close();
    const third = openStore(folder);
    t.equal(third.reset.current, null);
    third.close();
    t.equal(readdirSync(folder).filter((name) => name.includes("corrupt")).length, 1);
  });
}

t.test("a damaged store is moved aside once, wherever the process was killed", async (t) => {
  for (const point of ["marked", "log moved", "all moved", "new one begun"]) {
    const { folder, file } = filled(t);
    writeFileSync(`${file}-wal`, "a log");
    const at = Date.now();
    writeFileSync(`${file}.damaged`, JSON.stringify({ at, reason: "as told" }));
    const aside = `${file}.corrupt-${new Date(at).toISOString().replaceAll(/[-:.]/g, "")}`;
    const { renameSync } = await import("node:fs");
    if (point !== "marked") renameSync(`${file}-wal`, `${aside}-wal`);
    if (point === "all moved" || point === "new one begun") renameSync(file, aside);
    if (point === "new one begun") new DatabaseSync(file).exec("pragma journal_mode = wal; create table begun (a)");
    const size = statSync(existsSync(aside) ? aside : file).size;
    // A database of another shape would be refused; this one stands for a new one without its tables yet.
    if (point === "new one begun") new DatabaseSync(file).exec("drop table begun");
    const store = openStore(folder);
    t.match(store.reset.current, { old_file: aside, reason: "as told" }, point);
    t.equal(statSync(aside).size, size, point);
    t.equal(readFileSync(`${aside}-wal`, "utf8"), "a log", point);
    t.notOk(existsSync(`${file}.damaged`), point);
    store.close();
  }
});

t.test("a newer or unreadable store is not moved aside", async (t) => {
  const { folder, file } = filled(t);
  const db = new DatabaseSync(file);
  db.exec("pragma user_version = 9999");
  db.close();
  t.throws(() => openStore(folder), { name: "StoreUnusable", exit: "store_newer" });
  t.ok(existsSync(file));
  t.test("without read permission", { skip: process.getuid?.() === 0 && "root may read everything" }, async (t) => {
    chmodSync(file, 0);
    t.throws(() => openStore(folder), StoreUnusable);
    chmodSync(file, 0o600);
  });
  t.equal(readdirSync(folder).filter((name) => name.includes("corrupt") || name.includes("damaged")).length, 0);
});

t.test("an engine with a damaged store boots, reports it in /health, and serves turns", async (t) => {
  const { folder, file } = filled(t);
  DAMAGES["was cut off"]?.(file);
  const first = await startEngine(t, { dataDir: folder });
  const { body } = await first.call("/health");
  t.match(body, { status: "ok", memory_reset: { old_file: `${file}.corrupt-`, reason: /malformed/ } });
  t.ok(existsSync(body?.memory_reset.old_file));
  t.match((await first.turn("t", "/say hello")).at(-1), { data: { phase: "completed" } });
  t.equal(first.output().split("was set aside").length - 1, 1, "logged once");
  await first.stop();
  const second = await startEngine(t, { dataDir: folder });
  t.same((await second.call("/health")).body?.memory_reset, body?.memory_reset);
  await second.turn("t", "/say hello");
  t.notMatch(second.output(), /was set aside/);
  await second.stop();
  const sound = await startEngine(t);
  t.notMatch((await sound.call("/health")).body, { memory_reset: {} });
  // It creates folders after its first answer, which the end of the test removes.
  await sound.stop();
});

t.test("damage found at run time ends the engine, and its next start moves the store aside", async (t) => {
  const { folder, file } = filled(t);
  const root = new DatabaseSync(file);
  const page = Number(
    root.prepare("select rootpage from sqlite_schema where name = 'messages_of_turn'").get()?.["rootpage"],
  );
  root.close();
  overwrite(file, (page - 1) * PAGE, PAGE);
  const engine = await startEngine(t, { dataDir: folder });
  t.notMatch((await engine.call("/health")).body, { memory_reset: {} }, "nothing is looked through at a start");
  await engine.call("/execute", { body: { task_id: "t", message: "/say hello" } }).catch(() => undefined);
  await until("the engine has ended", () => engine.process.exitCode !== null);
  t.equal(engine.process.exitCode, 75, engine.output());
  t.match(engine.output(), /its store is damaged/);
  const next = await startEngine(t, { dataDir: folder });
  t.match((await next.call("/health")).body, { memory_reset: { reason: /malformed/ } });
  t.match((await next.turn("t", "/say hello")).at(-1), { data: { phase: "completed" } });
});
