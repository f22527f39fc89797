import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { runCommand } from "../../../../src/engine/tools/command/run-command.ts";
import { isAlive, listProcesses, readStat, startVariable } from "../../../../src/sandbox/processes/process-table.ts";
import { toolBench } from "../../../helpers/tool-context.ts";
import { until } from "../../../helpers/until.ts";
import { commandHost, unlimitedLauncher } from "../../../helpers/command-host.ts";
import { cannotConfine, confinedLauncher } from "../../../sandbox/programs/launcher-bench.ts";

const SECRETS = {
  LLM_API_KEY: "sk-secret",
  LLM_MODEL: "m",
  ORCH_CODE_MAX_TOOL_USE_CONCURRENCY: "3",
  ORCH_PLATFORM_KEY: "pk-secret",
  ENGINE_KEY: "sk-orch-secret",
  AWS_SECRET_ACCESS_KEY: "aws-secret",
  NODE_OPTIONS: "--inspect",
  HOME: "/root",
};

type Kind = "unconfined" | "confined";

/** What holds for both ways to start a command. */
function each(title: string, test: (t: Test, kind: Kind) => Promise<void>): void {
  t.test(title, (t) => test(t, "unconfined"));
  t.test(`${title}, confined`, { skip: cannotConfine }, (t) => test(t, "confined"));
}

function bench(
  t: Test,
  kind: Kind,
  environment: Record<string, string> = { PATH: process.env["PATH"] ?? "", ...SECRETS },
) {
  const parts = toolBench(t, { "a.txt": "one" });
  const host = commandHost(environment, dirname(parts.workspaceDir));
  const launcher = kind === "confined" ? unlimitedLauncher(confinedLauncher(t, host.folders)) : host.launcher;
  const tool = runCommand({ ...host, launcher });
  const run = (command: string, input = {}, more = {}) => parts.run(tool, { command, ...input }, more);
  return { ...parts, run };
}

/** A file that a command writes its pids into, and those that still live. */
function pidFile(workspaceDir: string) {
  const file = join(workspaceDir, "pids");
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);
  return { pids, living: () => pids().filter((pid) => readStat(pid) !== null) };
}

/** One that stays, one in the background, one in a session of its own, and one forked twice that ignores TERM. */
const FAMILY = [
  "sleep 300 & echo $! >> pids",
  "setsid sh -c 'echo $$ >> pids; exec sleep 300' &",
  `(setsid sh -c '(trap "" TERM HUP; echo $(exec sh -c "echo \\$PPID") >> pids; while :; do sleep 1; done) & exit 0' > /dev/null 2>&1 &)`,
  "until [ $(wc -l < pids) -ge 3 ]; do sleep 0.05; done",
].join("\n");

each("a command runs in the workspace, and its exit code and both outputs come in order", async (t, kind) => {
  const { run } = bench(t, kind);
  t.same(await run("cat a.txt; echo out; echo err >&2; echo more; exit 3"), {
    output: { exit_code: 3, output: "oneout\nerr\nmore\n" },
    error: null,
  });
  t.match(await run("kill -9 $$"), { output: { exit_code: null, signal: "SIGKILL" }, error: null });
  t.match(await run("exit $((1"), { output: { output: /syntax|unexpected|EOF/ } });
  t.match(await run("-x"), { output: { exit_code: 127, output: /-x.*not found/ } }, "no line is taken for an option");
  t.match(await run("cat"), { output: { exit_code: 0, output: "" } }, "there is no input to wait for");
});

each("a command inherits only what a shell needs", async (t, kind) => {
  const { run, workspaceDir } = bench(t, kind, {
    PATH: "/usr/bin:/bin",
    ...SECRETS,
    ORCH_LAUNCH_FILE: "/run/x/launch.json",
  });
  const { output } = (await run("env")) as { output: { output: string } };
  const names = output.output.match(/^\w+(?==)/gm) ?? [];
  for (const value of ["sk-secret", "pk-secret", "sk-orch-secret", "aws-secret", "--inspect"]) {
    t.notOk(output.output.includes(value), value);
  }
  t.same(
    names.filter((name) => /^(LLM|ORCH|ENGINE|AWS)_/.test(name)),
    ["ORCH_LAUNCH_FILE"],
    "one mark of the supervisor's, a path",
  );
  t.match(output.output, new RegExp(`^HOME=${workspaceDir}$`, "m"));
  t.match(output.output, /^PATH=\/usr\/bin:\/bin$/m);
  t.match(output.output, /^LANG=\S+$/m);
  t.match(
    await bench(t, kind, {}).run("ls a.txt"),
    { output: { exit_code: 0 } },
    "programs are found without a PATH too",
  );
});

each("background processes of a command are ended, also daemonized ones", async (t, kind) => {
  const { run, workspaceDir } = bench(t, kind);
  const { pids, living } = pidFile(workspaceDir);
  t.match(await run(`${FAMILY}; echo done`), {
    output: { exit_code: 0, output: "done\n", note: /ended \d+ background processes/ },
    error: null,
  });
  t.equal(pids().length, 3);
  t.same(living(), []);
});

each("a command that times out is ended with its children, and its output is reported", async (t, kind) => {
  const { run, workspaceDir } = bench(t, kind);
  const { pids, living } = pidFile(workspaceDir);
  const { output, error } = await run(`${FAMILY}; echo so far; sleep 300`, { timeout_s: 3 });
  t.equal(output, null);
  t.match(error, /^TIMEOUT: the call took longer than 3 s; .*ended.*so far/s);
  t.equal(pids().length, 3);
  t.same(living(), []);
});

each("a cancelled call ends when its processes are gone", async (t, kind) => {
  const { run, workspaceDir } = bench(t, kind);
  const { pids, living } = pidFile(workspaceDir);
  const abort = new AbortController();
  const over = run(`${FAMILY}; trap "" TERM; while :; do sleep 1; done`, {}, { signal: abort.signal });
  over.catch(() => undefined);
  await until("the family is there", () => pids().length === 3);
  abort.abort(new Error("cancelled"));
  await t.rejects(over, { message: "cancelled" });
  t.same(living(), []);
});

each("two commands at once do not end each other's processes", async (t, kind) => {
  const { run, workspaceDir } = bench(t, kind);
  const long = run("sleep 300 & echo $! > pids; until [ -e stop ]; do sleep 0.05; done; echo fine");
  const { pids, living } = pidFile(workspaceDir);
  await until("the first runs", () => pids().length === 1);
  t.match(await run("sleep 300 & echo quick"), { output: { output: "quick\n", note: /^ended 1 / } });
  t.equal(living().length, 1);
  await run("touch stop");
  t.match(await long, { output: { output: "fine\n" } });
  t.same(living(), []);
});

each("only head and tail of long output are kept, and endless output is ended", async (t, kind) => {
  const { run } = bench(t, kind);
  const long = (await run("echo start; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end")) as {
    output: { exit_code: number; output: string };
  };
  t.equal(long.output.exit_code, 0);
  t.match(long.output.output, /^start\n/);
  t.match(long.output.output, /end\n$/);
  t.ok(long.output.output.length < 25_000, "the rest of what was kept is in a file");
  t.match((await run("yes")).error, /exceeded \d+ bytes.*ended/s);
});

each("an invalid command is refused with a reason", async (t, kind) => {
  const { run } = bench(t, kind);
  for (const [command, input] of [
    ["", {}],
    ["a\0b", {}],
    ["x".repeat(100_001), {}],
    ["é".repeat(60_000), {}],
    ["ls", { timeout_s: 0 }],
    ["ls", { timeout_s: 601 }],
    ["ls", { timeout_s: "10" }],
  ] as const) {
    t.match(await run(command, input), { error: /^invalid arguments/ }, JSON.stringify([command.slice(0, 10), input]));
  }
});

t.test("nothing with the mark of a call is left on the machine", async (t) => {
  const left = listProcesses().filter((one) => (startVariable(one.pid, "PROGRAM_MARK") ?? "") !== "" && isAlive(one));
  t.same(
    left.filter(({ parent }) => parent === process.pid),
    [],
  );
});
