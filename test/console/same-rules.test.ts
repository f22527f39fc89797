import { execFileSync } from "node:child_process";
import t from "tap";
import { shellWord } from "../../console/src/parts/shell-word.ts";
import { matchPath } from "../../console/src/routing/path-pattern.ts";
import { brokenLink } from "../../console/src/views/audit/verify-chain.ts";
import { readArchive, textFile, writeArchive } from "../../console/src/views/catalog/archive.ts";
import { hunksOf, lineDiff } from "../../console/src/views/catalog/line-diff.ts";
import { phasesOf } from "../../console/src/views/engine/lives-of-events.ts";
import { readableLine } from "../../console/src/views/engine/log-line.ts";
import { stateReason } from "../../console/src/views/fleet/state-reason.ts";
import { hashOf, newPlatformKey } from "../../console/src/views/products/platform-key.ts";
import { POLICY_GROUPS, inputOf, readInput } from "../../console/src/views/products/policy-fields.ts";
import { PLATFORM_KEY_PREFIX, plausibleKey, storedKey } from "../../src/contract/orchestrator/api-keys.ts";
import {
  GENESIS_HASH,
  auditHash,
  brokenLink as daemonsBrokenLink,
} from "../../src/contract/orchestrator/audit-chain.ts";
import type { EngineRecord } from "../../src/contract/orchestrator/engine.ts";
import type { EventRecord } from "../../src/contract/orchestrator/event.ts";
import { DEFAULT_POLICY } from "../../src/contract/orchestrator/policy.ts";

const fields = POLICY_GROUPS.flatMap((group) => group.fields);

t.test("the policy form reads back what it shows, and names what does not fit", async (t) => {
  for (const field of fields) {
    t.same(
      readInput(field, inputOf(field, DEFAULT_POLICY[field.name])),
      { value: DEFAULT_POLICY[field.name] },
      field.name,
    );
    const { value } = field;
    if (value.kind === "integer")
      t.match(readInput(field, String(value.min - 1)), { problem: /^expected a whole number/ }, field.name);
  }
});

t.test("the policy form reads a hook as JSON", async (t) => {
  const field = fields.find(({ name }) => name === "tool_hook");
  if (field === undefined) return t.fail("the form has no hook");
  const tool_hook = { url: "https://api.example.com", tools: ["run_*"], timeout_ms: 900, on_error: "ask" } as const;
  t.same(readInput(field, inputOf(field, tool_hook)), { value: tool_hook });
  t.same(readInput(field, ""), { value: null });
  return t.match(readInput(field, "{"), { problem: /^expected JSON/ });
});

t.test("an engine with an open question waits for a person, whatever its last report says of its work", async (t) => {
  const awake = { last_active_at: null, idle_since: null, kept_by: ["turn"] };
  const engine = { state: "running", open_questions: 1, awake } as unknown as EngineRecord;
  t.equal(stateReason(engine), "waits for a person");
  t.equal(stateReason({ ...engine, open_questions: 0 }), "busy: a turn");
});

t.test("the browser makes platform keys as the daemon does", async (t) => {
  const key = newPlatformKey();
  t.ok(plausibleKey(PLATFORM_KEY_PREFIX, key), "the checksum is right");
  t.not(key, newPlatformKey());
  t.same(await hashOf(key), storedKey(key));
});

t.test("the browser checks the audit chain as the daemon does", async (t) => {
  const first = { seq: 1, entry: '{"action":"a"}', prev_hash: GENESIS_HASH };
  const one = { ...first, hash: auditHash(first) };
  const second = { seq: 2, entry: '{"action":"b"}', prev_hash: one.hash };
  const two = { ...second, hash: auditHash(second) };
  t.equal(await brokenLink(null, one), null);
  t.equal(await brokenLink(one, two), null);
  for (const [before, line] of [
    [null, two],
    [one, one],
    [one, { ...two, entry: "{}" }],
    [{ ...one, hash: "0" }, two],
  ] as const) {
    t.not(daemonsBrokenLink(before, line), null);
    t.not(await brokenLink(before, line), null);
  }
});

t.test("a path fits its pattern, whatever is in its parameters", async (t) => {
  t.same(matchPath("/engines/:engine/turns", "/engines/eng_1/turns"), { engine: "eng_1" });
  t.same(matchPath("/:name", "/%3Cimg%3E"), { name: "<img>" });
  t.equal(matchPath("/:name", "/%"), null);
  t.equal(matchPath("/engines/:engine", "/engines"), null);
});

t.test("events of an engine become its times in each state", async (t) => {
  const event = (to: string | null, time: string) => ({ to, time }) as EventRecord;
  const events = [
    event("stopped", "2026-11-22T00:00:09Z"),
    event(null, "2026-11-22T00:00:05Z"),
    event("running", "2026-11-22T00:00:02Z"),
  ];
  const [ran, rests] = phasesOf(events);
  t.match(ran, {
    state: "running",
    fromMs: Date.parse("2026-11-22T00:00:02Z"),
    toMs: Date.parse("2026-11-22T00:00:09Z"),
  });
  t.match(rests, { state: "stopped", toMs: null });
});

t.test("a line of the log is shown with what is in it", async (t) => {
  const line = '{"level":40,"time":"2026-11-22T10:11:12.000Z","name":"engine","pid":1,"took_ms":5,"msg":"slow turn"}';
  t.equal(readableLine(line), "10:11:12 warn  slow turn  took_ms=5");
  for (const other of ["Segmentation fault", '{"level":30,"msg":"cut']) t.equal(readableLine(other), other);
});

t.test("a command that is copied names its user and runs nothing else", async (t) => {
  for (const user of ["alice", "$(echo no)", "it's; exit 1", "`id`", "-n", "a b\\"])
    t.equal(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(user)}`], { encoding: "utf8" }), user);
});

t.test("the lines of a diff rebuild both texts, and its parts have what differs", async (t) => {
  const shown = (before: string, after: string) =>
    lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${text}`);
  t.same(shown("a\nb\nc\n", "a\nx\nc\nd\n"), [" a", "-b", "+x", " c", "+d"]);
  t.same(shown("", "a\n"), ["+a"]);
  t.same(shown("a\n", ""), ["-a"]);
  const letters = "abcd";
  for (let round = 0; round < 200; round++) {
    const some = () =>
      Array.from({ length: Math.floor(Math.random() * 12) }, () => letters[Math.floor(Math.random() * 4)] ?? "");
    const [was, is] = [some(), some()];
    const lines = lineDiff(was.join("\n"), is.join("\n"));
    const rebuilt = (without: string) => lines.filter(({ kind }) => kind !== without);
    const before = rebuilt("added");
    const after = rebuilt("removed");
    const isRight =
      before.every(({ text, was: line }, at) => text === was[at] && line === at + 1) &&
      after.every(({ text, is: line }, at) => text === is[at] && line === at + 1) &&
      before.length === was.length &&
      after.length === is.length;
    if (!isRight) t.fail(`${was.join()} to ${is.join()}`);
  }
  const long = Array.from({ length: 100 }, (_, line) => `line ${line}`);
  const hunks = hunksOf(lineDiff(long.join("\n"), long.with(10, "x").with(90, "y").join("\n")));
  t.same(
    hunks.map((hunk) => hunk.length),
    [8, 8],
  );
});

t.test("a catalog's archive is written as it is read", async (t) => {
  const binary = { path: "skills/a/b.bin", text: null, content: new Uint8Array([0, 255, 1]), mode: 0o755 };
  const path = `skills/${"long-".repeat(30)}/SKILL.md`;
  const files = [textFile("agents/ä.md", "grüß\n"), textFile(path, ""), binary];
  const read = await readArchive(await writeArchive(files));
  t.same(
    [...read.values()],
    [...files].toSorted((left, right) => (left.path < right.path ? -1 : 1)),
  );
});
