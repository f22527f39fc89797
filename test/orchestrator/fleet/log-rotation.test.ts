import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { logTail } from "../../../src/orchestrator/fleet/engine-log.ts";
import { LogRotation, rotateLog } from "../../../src/orchestrator/fleet/log-rotation.ts";
import { healthy, silent, testFleet } from "../../helpers/fleet.ts";
import { until } from "../../helpers/until.ts";

t.test("generations move on, the oldest goes, and of a huge log only the end is kept", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rotation-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
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

t.test("an engine that writes without end is kept within bounds while it writes", async (t) => {
  const { backend, order } = testFleet(t, "log-bomb");
  const given = await order();
  const folder = given.launch.data_dir;
  const engine = await backend.launch(given);
  t.match(await healthy(given, engine), { kind: "healthy" });
  const sizeOf = (name: string) => statSync(join(folder, name)).size;
  const written = () => readdirSync(folder).filter((name) => name.startsWith("engine.log"));
  await until("the bomb is over", async () => (await logTail(folder, 1))[0] === "done", 30_000);
  await until("the log was rotated", () => written().length > 1 && sizeOf("engine.log") <= 10 * 1_048_576, 30_000);
  const total = written().reduce((sum, name) => sum + sizeOf(name), 0);
  t.ok(written().length <= 5 && total <= 50 * 1_048_576, `${written().length} files, ${total} bytes`);
  t.notMatch((await logTail(folder, 1000)).join("\n"), "0123456789abc");
  await engine.stop(5000);
});

t.test("a log that cannot be rotated is reported and does not stop the others from being", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rotation-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const [bad, good] = [join(folder, "bad", "engine.log"), join(folder, "engine.log")];
  const rotation = new LogRotation(silent, { maxBytes: 10, keep: 2 });
  rotation.watch(join("/dev/null", "engine.log"));
  rotation.watch(bad);
  rotation.watch(good);
  appendFileSync(good, "more than ten bytes");
  await until("the good log is rotated", () => statSync(good).size === 0);
  t.equal(readFileSync(`${good}.1`, "utf8"), "n ten bytes".slice(-10));
  for (const path of [join("/dev/null", "engine.log"), bad, good]) rotation.forget(path);
});
