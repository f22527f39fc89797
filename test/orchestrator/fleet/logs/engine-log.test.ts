import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { ENGINE_LOG, followLog, logTail } from "../../../../src/orchestrator/fleet/logs/engine-log.ts";
import { redactLine } from "../../../../src/orchestrator/fleet/logs/redact-line.ts";
import { ENGINE_KEY_PREFIX, PLATFORM_KEY_PREFIX, newKey } from "../../../../src/contract/orchestrator/api-keys.ts";
import { freshFolder } from "../../../helpers/folder.ts";

function logFolder(t: Test, text?: string): { readonly folder: string; readonly log: string } {
  const folder = freshFolder(t, "engine-log");
  const hold = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(hold));
  const log = join(folder, ENGINE_LOG);
  if (text !== undefined) writeFileSync(log, text);
  return { folder, log };
}

t.test("the tail of a missing or empty log is empty", async (t) => {
  t.same(await logTail(logFolder(t).folder, 10), []);
  t.same(await logTail(logFolder(t, "").folder, 10), []);
  t.same(await logTail("/nowhere", 10), []);
});

t.test("the tail is exact across the chunks it is read in", async (t) => {
  const all = Array.from({ length: 30_000 }, (_, index) => `line ${index} ü€😀`);
  const { folder } = logFolder(t, `${all.join("\n")}\n`);
  for (const lines of [0, 1, 2, 5000, 29_999, 30_000, 40_000]) {
    t.same(await logTail(folder, lines), lines === 0 ? [] : all.slice(-lines), `${lines} lines`);
  }
});

t.test("an unfinished line counts as the last", async (t) => {
  t.same(await logTail(logFolder(t, "one\ntwo\nthr").folder, 2), ["two", "thr"]);
});

t.test("a log of one endless line is cut", async (t) => {
  const [line, ...rest] = await logTail(logFolder(t, "x".repeat(20_000_000)).folder, 5);
  t.equal(line?.length, 16_384);
  t.same(rest, []);
});

t.test("keys are redacted", async (t) => {
  const engine = newKey(ENGINE_KEY_PREFIX);
  const platform = newKey(PLATFORM_KEY_PREFIX);
  t.equal(
    redactLine(`a ${engine}, "${platform}" and sk-ant-api03-abcdefgh_ijkl here`),
    `a sk-orch-[redacted], "orchp_[redacted]" and sk-[redacted] here`,
  );
  t.equal(redactLine("task-list of a risk-averse desk-top"), "task-list of a risk-averse desk-top");
  t.same(await logTail(logFolder(t, `key=${engine}\n`).folder, 1), ["key=sk-orch-[redacted]"]);
});

t.test("following yields the last lines, then new ones, across rotations, until the signal", async (t) => {
  const { folder, log } = logFolder(t, "one\ntwo\nthree\nhal");
  const over = new AbortController();
  const lines = followLog(folder, { lines: 2, signal: over.signal });
  const next = async () => (await lines.next()).value;
  t.equal(await next(), "two");
  t.equal(await next(), "three");
  appendFileSync(log, "f\nmore\n");
  t.equal(await next(), "half", "a line that was being written is given when it is whole");
  t.equal(await next(), "more");
  truncateSync(log);
  appendFileSync(log, "new\n");
  t.equal(await next(), "new");
  const waiting = lines.next();
  over.abort();
  t.same(await waiting, { value: undefined, done: true });
});

t.test("following waits for a missing log and ends when it is removed", async (t) => {
  const { folder, log } = logFolder(t);
  const lines = followLog(folder, { lines: 10, signal: new AbortController().signal });
  const first = lines.next();
  writeFileSync(log, "hello\n");
  t.same(await first, { value: "hello", done: false });
  const last = lines.next();
  rmSync(folder, { recursive: true });
  t.same(await last, { value: undefined, done: true });
});

t.test("a key that spans two chunks is redacted", async (t) => {
  const key = newKey(ENGINE_KEY_PREFIX);
  const { folder, log } = logFolder(t, "start\n");
  const over = new AbortController();
  const lines = followLog(folder, { lines: 1, signal: over.signal });
  t.equal((await lines.next()).value, "start");
  appendFileSync(log, `${"y".repeat(100)}\n`.repeat(648) + `${"z".repeat(70)} ${key}\nend\n`);
  let all = "";
  for (let line = await lines.next(); !line.done && line.value !== "end"; line = await lines.next()) all += line.value;
  t.match(all, "sk-orch-[redacted]");
  t.notMatch(all, key.slice(-12));
  over.abort();
  await lines.return();
});
