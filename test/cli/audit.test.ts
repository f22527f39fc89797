import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Verdict, verifyAudit } from "../../cli/audit-trail.ts";
import type { AuditRecord } from "../../src/contract/orchestrator/audit.ts";
import { type AuditHead, GENESIS_HASH, auditHash, formatHead } from "../../src/contract/orchestrator/audit-chain.ts";
import { type FakeServer, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const KEY = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };

function chain(
  length: number,
  entryOf = (seq: number) => JSON.stringify({ at: "t", action: `a${seq}` }),
): AuditRecord[] {
  const lines: AuditRecord[] = [];
  for (let seq = 1; seq <= length; seq++) {
    const line = { seq, entry: entryOf(seq), prev_hash: lines.at(-1)?.hash ?? GENESIS_HASH };
    lines.push({ ...line, hash: auditHash(line) });
  }
  return lines;
}
const headOf = (lines: readonly AuditRecord[]) => `${lines.at(-1)?.seq}:${lines.at(-1)?.hash}`;

/** Pages of at most 200, as the daemon gives them. */
function serve(server: FakeServer, lines: readonly AuditRecord[]): void {
  server.on("GET /admin/audit", ({ path }) => {
    const after = Number(new URL(path, "http://x").searchParams.get("after"));
    const data = lines.filter(({ seq }) => seq > after).slice(0, 200);
    return { body: { data, next_cursor: data.length === 200 ? String(data.at(-1)?.seq) : null } };
  });
}

async function verdictOn(lines: readonly AuditRecord[], expected: AuditHead | null = null): Promise<Verdict> {
  const each = async function* () {
    yield* lines;
  };
  return verifyAudit(each(), expected === null ? [] : [expected]);
}
const changed = (lines: readonly AuditRecord[], seq: number, more: Partial<AuditRecord>) =>
  lines.map((line) => (line.seq === seq ? { ...line, ...more } : line));

t.test("each way to tamper with the chain is reported with its first line", async (t) => {
  const lines = chain(5);
  t.same(await verdictOn(lines), { kind: "holds", head: { seq: 5, hash: lines[4]?.hash } });
  t.same(await verdictOn([]), { kind: "holds", head: { seq: 0, hash: GENESIS_HASH } });
  const [, , third] = lines as [AuditRecord, AuditRecord, AuditRecord];
  const rehashed = { ...third, entry: "{}" };
  for (const [what, tampered, problem] of [
    ["a changed text", changed(lines, 3, { entry: "{}" }), "line 3 was changed"],
    ["a space in it", changed(lines, 3, { entry: `${third.entry} ` }), "line 3 was changed"],
    [
      "a changed text with its hash",
      changed(lines, 3, { entry: "{}", hash: auditHash(rehashed) }),
      "line 4 does not follow line 3",
    ],
    ["a line taken out", lines.filter(({ seq }) => seq !== 2), "line 2 is missing: line 3 comes next"],
    ["the first lines taken out", lines.slice(2), "line 1 is missing: line 3 comes next"],
    ["a line twice", [...lines.slice(0, 2), ...lines.slice(1)], "line 3 is missing: line 2 comes next"],
    ["another beginning", changed(lines, 1, { prev_hash: "f".repeat(64) }), "line 1 does not follow line 0"],
    ["a number that is none", changed(lines, 3, { seq: Number.NaN }), "line 3 is missing: line NaN comes next"],
  ] as const) {
    t.same(await verdictOn(tampered), { kind: "broken", problem }, what);
  }
});

t.test("a noted head reveals a log that was truncated or recreated", async (t) => {
  const lines = chain(5);
  const noted = { seq: 4, hash: lines[3]?.hash ?? "" };
  t.equal((await verdictOn(lines, noted)).kind, "holds", "it may have grown since");
  t.same(await verdictOn(lines.slice(0, 3), noted), {
    kind: "broken",
    problem: "line 4 is missing: the log was truncated before line 4",
  });
  t.equal((await verdictOn([], noted)).kind, "broken");
  const anew = chain(6, (seq) => JSON.stringify({ seq, nothing: "happened" }));
  t.match(await verdictOn(anew, noted), { problem: "line 4 differs from the recorded one: the log was replaced" });
  t.equal((await verdictOn([], { seq: 0, hash: GENESIS_HASH })).kind, "holds", "the head of an empty log");
});

t.test("verify reads the whole chain, says its head, and ends with 1 at the first broken line", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const lines = chain(450);
  serve(server, lines);
  const whole = await orchctl(["audit", "verify"], { env: KEY });
  t.equal(whole.stdout, `450 lines hold, head ${headOf(lines)}\n`);
  t.equal(whole.code, 0, whole.stderr);
  const json = await orchctl(["audit", "verify", "--json", "--expect", headOf(lines.slice(0, 300))], { env: KEY });
  t.same(JSON.parse(json.stdout), { lines: 450, head: headOf(lines) });

  serve(server, lines.slice(0, 300));
  const cut = await orchctl(["audit", "verify", "--expect", headOf(lines)], { env: KEY });
  t.equal(cut.code, 1);
  t.match(cut.stderr, "orchctl: the audit log is broken: line 301 is missing: the log was truncated before line 450");

  serve(server, changed(lines, 257, { entry: '{"at":"t","action":"nothing"}' }));
  const broken = await orchctl(["audit", "verify", "--json"], { env: KEY });
  t.equal(broken.code, 1);
  t.equal(broken.stdout, "");
  t.match(JSON.parse(broken.stderr), {
    error: { code: "AUDIT_BROKEN", message: "the audit log is broken: line 257 was changed" },
  });
});

t.test("verify compares the log with the heads that the daemon recorded", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const lines = chain(9);
  const recorded = (...seqs: number[]) =>
    seqs.map((seq) => `2026-11-01T12:00:00.000Z ${formatHead(lines[seq - 1] as AuditHead)}\n`).join("");
  const data = orchctl.env["ORCH_DATA_DIR"] ?? "";
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "audit-heads"), `${recorded(2, 3)}2026-11-01T12:00:0\n${recorded(7)}`);
  serve(server, lines);
  const whole = await orchctl(["audit", "verify"], { env: KEY });
  t.equal(whole.stdout, `9 lines hold, head ${headOf(lines)}; compared with 3 recorded heads\n`);
  t.same(JSON.parse((await orchctl(["audit", "verify", "--json"], { env: KEY })).stdout), {
    lines: 9,
    head: headOf(lines),
    recorded_heads: 3,
  });
  serve(server, lines.slice(0, 5));
  t.match(await orchctl(["audit", "verify"], { env: KEY }), {
    code: 1,
    stderr: /line 6 is missing: the log was truncated before line 7\n/,
  });
  // The same up to line 4, made anew behind it.
  serve(
    server,
    chain(9, (seq) => JSON.stringify({ at: "t", action: seq < 5 ? `a${seq}` : "nothing" })),
  );
  t.match(await orchctl(["audit", "verify"], { env: KEY }), {
    code: 1,
    stderr: /line 7 differs from the recorded one: the log was replaced after line 3\n/,
  });
  const copy = join(data, "copy");
  writeFileSync(copy, recorded(3));
  t.equal((await orchctl(["audit", "verify", "--heads", copy], { env: KEY })).code, 0);
  t.match(await orchctl(["audit", "verify", "--heads", "nowhere"], { env: KEY }), {
    code: 2,
    stderr: /--heads: nowhere/,
  });
});

t.test("a daemon that lies about the log's pages is seen through and not read for ever", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const lines = chain(4);
  server.on("GET /admin/audit", { body: { data: lines.slice(0, 2), next_cursor: "2" } });
  const again = await orchctl(["audit", "verify"], { env: KEY });
  t.equal(again.code, 1);
  t.match(again.stderr, "line 3 is missing: line 1 comes next");
  t.match((await orchctl(["audit", "list"], { env: KEY })).stdout, "a2");
  server.on("GET /admin/audit", ({ path }) => {
    const after = Number(new URL(path, "http://x").searchParams.get("after"));
    return { body: { data: lines.slice(after, after + 2), next_cursor: null } };
  });
  t.match((await orchctl(["audit", "verify"], { env: KEY })).stdout, "4 lines hold", "more than it says there is");
  for (const body of [{ data: "no" }, { data: [{ seq: "1" }] }, {}, null]) {
    server.on("GET /admin/audit", { body });
    t.equal((await orchctl(["audit", "verify"], { env: KEY })).code, 1);
  }
});

t.test("list shows the last lines, and one that was tampered with as it is", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const who = { actor: "admin", session: "ses_1" };
  const entry = { at: "2026-11-01T12:00:00.000Z", ...who, action: "host.draining", detail: { host_id: "h" } };
  const lines = chain(3, (seq) => (seq === 2 ? "no json \u001b[2J" : JSON.stringify(entry)));
  serve(server, lines);
  const { stdout } = await orchctl(["audit", "list", "-n", "2"], { env: KEY });
  const [head, second, third] = stdout.split("\n").map((line) => line.split(/ {2,}/));
  t.same(head, ["SEQ", "TIME", "ACTOR", "ACTION", "DETAIL", "PRODUCT", "ENGINE"]);
  t.same(second, ["2", "-", "-", "-", String.raw`no json \u{1b}[2J`, "-", "-"]);
  t.same(third, ["3", entry.at, "admin ses_1", "host.draining", '{"host_id":"h"}', "-", "-"]);
  const json = await orchctl(["audit", "list", "-n", "1", "--json"], { env: KEY });
  t.same(JSON.parse(json.stdout), { data: lines.slice(2), next_cursor: null });
});

t.test("a head that is none is refused before anything is asked", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const head of ["nonsense", "5", `5:${"g".repeat(64)}`, `-1:${"0".repeat(64)}`, `5:${"0".repeat(63)}`]) {
    t.equal((await orchctl(["audit", "verify", `--expect=${head}`], { env: KEY })).code, 2, head);
  }
  t.equal(server.calls.length, 0);
});
