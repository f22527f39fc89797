import { appendFileSync, mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import t from "tap";
import { capRotatedLogs } from "../../../../src/orchestrator/fleet/logs/log-cap.ts";
import { logTail } from "../../../../src/orchestrator/fleet/logs/engine-log.ts";
import { LogRotation, rotateLog } from "../../../../src/orchestrator/fleet/logs/log-rotation.ts";
import { healthy, silent, testFleet } from "../../../helpers/fleet.ts";
import { freshFolder } from "../../../helpers/folder.ts";
import { until } from "../../../helpers/until.ts";

t.test("generations are renamed, the oldest is dropped, and only the tail of a huge log is kept", async (t) => {
  const folder = freshFolder(t, "rotation");
  const log = join(folder, "engine.log");
  for (const text of ["first", "second", "third", "the fourth is longer"]) {
    writeFileSync(log, text);
    await rotateLog(log, { maxBytes: 6, keep: 3 });
  }
  t.same(readdirSync(folder).sort(), ["engine.log", "engine.log.1", "engine.log.2"]);
  t.equal(readFileSync(log, "utf8"), "");
  t.equal(readFileSync(`${log}.1`, "utf8"), "longer");
  t.equal(readFileSync(`${log}.2`, "utf8"), "third");
  t.equal(statSync(`${log}.1`).mode & 0o777, 0o600);
});

t.test("the log of an engine that writes without pause is bounded", async (t) => {
  const { backend, order } = testFleet(t, "log-bomb");
  const given = await order();
  const folder = given.launch.data_dir;
  const engine = await backend.launch(given);
  t.match(await healthy(given, engine), { kind: "healthy" });
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  const written = () => readdirSync(folder).filter((name) => name.startsWith("engine.log"));
  // A file may have been renamed since it was listed.
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const total = () => written().reduce((sum, name) => sum + sizeOf(name), 0);
  let most = 0;
  const over = async () => {
    most = Math.max(most, total());
    return (await logTail(folder, 1))[0] === "done";
  };
  await until("the bomb is over", over, 30_000);
  const rotatedAway = () => written().length > 1 && sizeOf("engine.log") <= 10 * 1_048_576;
  await until("the log was rotated", rotatedAway, 30_000);
  t.ok(written().length <= 5 && total() <= 50 * 1_048_576, `${written().length} files, ${total()} bytes`);
  t.comment(`${Math.round(most / 1_048_576)} MiB at most while it wrote`);
  t.comment(`the event loop stood still for ${Math.round(lag.max / 1e6)} ms at most`);
  t.notMatch((await logTail(folder, 1000)).join("\n"), "0123456789abc");
  await engine.stop(5000);
});

t.test("a log that cannot be rotated is reported, and the others are rotated", async (t) => {
  const folder = freshFolder(t, "rotation");
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const [bad, good] = [join(folder, "bad", "engine.log"), join(folder, "engine.log")];
  const rotation = new LogRotation(silent, { maxBytes: 10, keep: 2, totalBytes: 1000 });
  const unreadable = join(folder, "a-file", "engine.log");
  writeFileSync(join(folder, "a-file"), "");
  rotation.watch(unreadable);
  rotation.watch(bad);
  rotation.watch(good);
  appendFileSync(good, "more than ten bytes");
  await until("the good log is rotated", () => statSync(good).size === 0);
  t.equal(readFileSync(`${good}.1`, "utf8"), "n ten bytes".slice(-10));
  for (const path of [unreadable, bad, good]) rotation.forget(path);
});

/** Rotated an hour ago and the given minutes later. */
function rotated(path: string, bytes: number, minutes: number): void {
  writeFileSync(path, "x".repeat(bytes));
  const time = Date.now() / 1000 - 3600 + minutes * 60;
  utimesSync(path, time, time);
}

t.test("the oldest rotated logs of all engines are removed first, and no other files", async (t) => {
  const engines = t.testdir({ "no-folder": "" });
  for (const id of ["a", "b", "c"]) mkdirSync(join(engines, id));
  rotated(join(engines, "a", "engine.log.1"), 40, 5);
  rotated(join(engines, "a", "engine.log.2"), 40, 1);
  rotated(join(engines, "b", "engine.log.1"), 40, 2);
  rotated(join(engines, "c", "engine.log.1"), 40, 4);
  for (const name of ["engine.log", "engine.log.txt", "notes.1"]) rotated(join(engines, "b", name), 500, 0);
  await capRotatedLogs(engines, 160);
  t.equal(readdirSync(join(engines, "a")).length, 2, "files within the limit stay");
  await capRotatedLogs(engines, 100);
  t.same(readdirSync(join(engines, "a")), ["engine.log.1"]);
  t.same(readdirSync(join(engines, "b")).sort(), ["engine.log", "engine.log.txt", "notes.1"]);
  t.same(readdirSync(join(engines, "c")), ["engine.log.1"]);
  await capRotatedLogs(join(engines, "nowhere"), 0);
});

t.test("a rotation that makes the total too large removes another engine's older log", async (t) => {
  const engines = t.testdir({ old: {}, busy: {} });
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const old = join(engines, "old", "engine.log.1");
  rotated(old, 15, 0);
  const busy = join(engines, "busy", "engine.log");
  const rotation = new LogRotation(silent, { maxBytes: 10, keep: 2, totalBytes: 20 });
  rotation.watch(busy);
  appendFileSync(busy, "more than ten bytes");
  await until("the older log is gone", () => !readdirSync(join(engines, "old")).includes("engine.log.1"));
  t.equal(statSync(`${busy}.1`).size, 10);
  rotation.forget(busy);
});

t.test("the log of an exited engine is bounded too", async (t) => {
  const folder = t.testdir({});
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const log = join(folder, "engine.log");
  const rotation = new LogRotation(silent, { maxBytes: 10, keep: 2, totalBytes: 1000 });
  rotation.watch(log);
  appendFileSync(log, "more than ten bytes");
  rotation.forget(log);
  await until("the log is rotated", () => statSync(log).size === 0);
  t.equal(statSync(`${log}.1`).size, 10);
});
