import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type TestEngine, startEngine } from "../helpers/engine.ts";
import { engine as record, startFakeServer } from "../helpers/fake-server.ts";
import { freshFolder } from "../helpers/folder.ts";
import { type Ran, orchctlFor } from "../helpers/orchctl.ts";

interface Both {
  readonly engine: TestEngine;
  readonly turns: (args: readonly string[]) => Promise<Ran>;
  readonly memory: (args: readonly string[], input?: string) => Promise<Ran>;
}

/** A real engine, of whose place a daemon tells. */
async function withMemory(t: Test): Promise<Both> {
  const engine = await startEngine(t, { dataDir: freshFolder(t) });
  const daemon = await startFakeServer(t);
  daemon.on("GET /engines/alice", { body: record({ url: engine.url }) });
  const orchctl = orchctlFor(t, daemon);
  const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: engine.key };
  return {
    engine,
    turns: (args) => orchctl(["turns", ...args], { env }),
    memory: (args, input = "") => orchctl(["memory", ...args], { env, input }),
  };
}

t.test("memory is listed, searched, exported, imported elsewhere, and erased", async (t) => {
  const [first, second] = [await withMemory(t), await withMemory(t)];
  await first.engine.turn(
    "t",
    '/tool memory_note {"entry_type":"note","content":"the spare key lies under the blue mat"}\n/say noted',
  );
  const listed = await first.memory(["list", "alice", "working"]);
  t.equal(listed.code, 0, listed.stderr);
  t.match(listed.stdout, /note: the spare key lies under the blue mat .* note:1\n/);
  t.match(await first.memory(["list", "alice", "episodes", "--json"]), { code: 0, stdout: /^\{"items":\[\{"id":"ep_/ });
  t.match(await first.memory(["list", "alice", "social"]), { code: 0, stdout: "nothing yet\n" });
  t.match(await first.memory(["search", "alice", "where", "is the spare key?"]), { code: 0, stdout: /blue mat/ });

  const file = join(t.testdir({}), "alice.jsonl");
  const exported = await first.memory(["export", "alice", "--output", file]);
  t.match(exported, { code: 0, stdout: /has 1 task, 1 branch, 1 turn, .*1 working, 1 episode, 1 trajectory/ });
  t.equal(statSync(file).mode & 0o777, 0o600);
  const piped = await first.memory(["export", "alice"]);
  const withoutHeader = (text: string) => text.slice(text.indexOf("\n"));
  t.equal(withoutHeader(piped.stdout), withoutHeader(readFileSync(file, "utf8")));

  t.match(await second.memory(["import", "alice", file]), {
    code: 0,
    stdout: /^imported 1 task, 1 branch, 1 turn, .*; skipped nothing/,
  });
  t.match(await second.memory(["import", "alice", "-", "--json"], piped.stdout), {
    code: 0,
    stdout: /"imported":\{\}/,
  });
  t.match(await second.memory(["search", "alice", "spare key"]), { code: 0, stdout: /blue mat/ }, "what came is found");

  t.match(await second.memory(["erase", "alice", "--yes"]), {
    code: 0,
    stdout: /memory of the engine of \S+ is erased \(\d+ rows/,
  });
  t.match(await second.memory(["search", "alice", "spare key"]), { code: 0, stdout: /no results/ });
  t.match(await second.memory(["list", "alice", "working"]), { code: 0, stdout: "nothing yet\n" });
});

t.test("turns are listed, and what their requests to the model consisted of", async (t) => {
  const { engine, turns } = await withMemory(t);
  t.match(await turns(["list", "alice"]), { code: 0, stdout: "no turns\n" });
  await engine.turn("first", "/say hello");
  await engine.turn("second", "/tool list_files {}\n/say done");
  const page = await turns(["list", "alice", "-n", "1"]);
  t.match(page, { code: 0, stdout: /completed +second .*turn_/ });
  const cursor = /--cursor (\d+)/.exec(page.stderr)?.[1] ?? "";
  const rest = await turns(["list", "alice", "--cursor", cursor, "--json"]);
  const [first] = JSON.parse(rest.stdout).items;
  t.match(first, { task_id: "first", message: "/say hello" });
  const only = await turns(["list", "alice", "--task", "second", "--json"]);
  const [second] = JSON.parse(only.stdout).items;
  const shown = await turns(["show", "alice", second.turn_id, "--requests"]);
  t.equal(shown.code, 0, shown.stderr);
  t.match(shown.stdout, /state +completed/);
  t.match(shown.stdout, /NO +MS +INPUT .*STEPS.*\n1 .* tool_use\n2 .* stop\n/);
  const request = await turns(["show", "alice", second.turn_id, "--request", "2"]);
  t.match(request, { code: 0, stdout: /"role": "tool"/ });
  t.match(await turns(["show", "alice", "turn_none"]), { code: 4, stderr: /no turn has this id/ });
  t.match(await turns(["show", "alice", first.turn_id, "--request", "9"]), {
    code: 4,
    stderr: /with this number is kept/,
  });
});

t.test("learning is asked for, and its drafts are decided on", async (t) => {
  const { engine, memory } = await withMemory(t);
  await engine.turn("t", "/say hello");
  t.match(await memory(["learn", "alice", "--json"]), { code: 0, stdout: /"trajectories":1/ });
  t.match(await memory(["skills", "alice"]), { code: 0, stdout: "no skill drafts\n" });
  t.match(await memory(["skills", "alice", "allow", "sd_none"]), { code: 4, stderr: /no skill draft/ });
  t.match(await memory(["skills", "alice", "allow"]), { code: 2, stderr: /expected the ID/ });
  t.match(await memory(["skills", "alice", "burn", "sd_1"]), { code: 2 });
  await engine.turn("t", "/say fine\nMy name is Anna. I live in Oslo.");
  t.match(await memory(["learn", "alice"]), { code: 0 });
  const { stdout } = await memory(["list", "alice", "knowledge", "--json"]);
  const { id } = JSON.parse(stdout).items[0];
  t.match(await memory(["end", "alice", id]), { code: 0, stdout: `${id} has ended\n` });
  t.match(await memory(["list", "alice", "knowledge"]), { code: 0, stdout: /\(until / });
  t.match(await memory(["end", "alice", "kn_none"]), { code: 4, stderr: /no fact has this id/ });
});

t.test("each failure has its exit code, and leaves no partial file", async (t) => {
  const { engine, memory } = await withMemory(t);
  const folder = t.testdir({ bad: "no lines\n" });
  t.match(await memory(["import", "alice", join(folder, "bad")]), { code: 2, stderr: /line 1: expected JSON/ });
  t.match(await memory(["import", "alice", join(folder, "none")]), { code: 2, stderr: /none cannot be read/ });
  t.match(await memory(["list", "alice", "dreams"]), { code: 2 });
  t.match(await memory(["export", "alice", "-o", join(folder, "no/where")]), { code: 2, stderr: /cannot be written/ });
  const stream = await engine.execute({ task_id: "busy", message: "/slow 60000" });
  await stream.first("thread_lifecycle");
  t.match(await memory(["erase", "alice", "--yes", "--json"]), { code: 5, stderr: /"code":"TASK_BUSY"/ });
  stream.cut();
});

t.test("erasing names the tasks in its way, cancels them on request, and asks first", async (t) => {
  const { engine, memory } = await withMemory(t);
  const question = await engine.execute({ task_id: "asks", message: "/ask Which colour?" });
  await question.first("hitl_request");
  const busy = await engine.execute({ task_id: "works", message: "/slow 60000" });
  await busy.first("thread_lifecycle");
  t.match(await memory(["erase", "alice"]), { code: 2, stderr: /nothing was changed: .* needs --yes/ });
  const refused = await memory(["erase", "alice", "--yes"]);
  t.match(refused, { code: 5, stderr: /in tasks asks \(waits for an answer\), works \(running\) \(TASK_BUSY\)/ });
  t.match(refused.stderr, /\(orchctl memory erase alice --cancel-turns cancels them first\)/);
  t.match(await memory(["erase", "alice", "--yes", "--cancel-turns"]), {
    code: 0,
    stdout: /is erased/,
  });
  question.cut();
  busy.cut();
});

t.test("a truncated export is reported, and replaces no whole one", async (t) => {
  const server = await startFakeServer(t);
  server.on("GET /engines/alice", { body: record({ url: server.url }) });
  server.on("GET /memory/export", (_call, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.end('{"type":"header"}\n{"type":"episode"}\n');
  });
  const folder = freshFolder(t);
  writeFileSync(join(folder, "kept"), "as it was");
  const env = { ORCH_PLATFORM_KEY: "orchp_of-the-test", ORCH_ENGINE_KEY: "sk-orch-of-the-test" };
  const cut = await orchctlFor(t, server)(["memory", "export", "alice", "-o", join(folder, "kept")], { env });
  t.match(cut, { code: 7, stderr: /cut before its end line \(CONNECTION_LOST, user alice, http:\S+\)/ });
  t.equal(readFileSync(join(folder, "kept"), "utf8"), "as it was");
  t.notOk(existsSync(join(folder, "kept.part")));
});
