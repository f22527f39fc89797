import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { landlockAbi } from "../../src/sandbox/landlock/landlock.ts";
import { listProcesses, startArguments } from "../../src/sandbox/processes/process-table.ts";
import { EXIT_THREAD } from "../helpers/headless.ts";
import { until } from "../helpers/until.ts";
import { type HostEngine, ORDINARY_UID, attackedHost } from "./host.ts";

const { abi, problem } = landlockAbi();
const isRoot = process.getuid?.() === 0;
const python = existsSync("/usr/bin/python3") ? null : "the attacks need /usr/bin/python3";
const skip = python ?? problem ?? (abi < 6 ? `Landlock ABI ${abi} knows no signals` : !isRoot && "needs root");

/** A process with an empty environment that may be read, of a session of its own, whose parent has exited. */
const hide = (mark: string) => `env -i /usr/bin/setsid /bin/sh -c 'echo $$ > hidden; exec sleep ${mark}' </dev/null`;
const background = (mark: string) => `(${hide(mark)} >/dev/null 2>&1 &); until [ -s hidden ]; do sleep 0.01; done`;
/** The same after two forks, by a program of Python. */
const twoForks = (mark: string) => `import os, subprocess
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 64)
        os.execve("/bin/sh", ["sh", "-c", "echo $$ > hidden; exec sleep ${mark}"], {})
    os._exit(0)
os.wait()
`;
/** The same; then the first thread exits, which leaves the state of a zombie and no memory, and another goes on. */
const withoutFirstThread = `import os
thread = '''
import ctypes, os, threading, time
def work():
    with open("hidden", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)
threading.Thread(target=work).start()
ctypes.CDLL(None).syscall(${EXIT_THREAD}, 0)
'''
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 64)
        os.execve("/usr/bin/python3", ["python3", "-c", thread], {})
    os._exit(0)
os.wait()
`;
/** Processes that each fork the next one and exit within a millisecond or two, so that a list of processes has none of them. */
const HOP = `import os, time
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 64)
    beat = os.open("beat", os.O_RDWR | os.O_CREAT)
    end = time.time() + 20
    while time.time() < end:
        os.pwrite(beat, b"%020d" % time.monotonic_ns(), 0)
        time.sleep(0.0005)
        try:
            if os.fork():
                os._exit(0)
        except OSError: # What has ended counts until it is reaped.
            time.sleep(0.01)
    os._exit(0)
`;
const runs = (mark: string) =>
  listProcesses().some(({ pid }) => startArguments(pid).join(" ").includes(`sleep ${mark}`));

async function fresh({ folder }: HostEngine): Promise<void> {
  rmSync(join(folder, "workspace/hidden"), { force: true });
}

for (const { who, uid } of [
  { who: "root", uid: undefined },
  { who: "an ordinary user", uid: ORDINARY_UID },
] as const) {
  t.test(
    `under a daemon of ${who} no hidden process outlives its call, nor that of a tool server its engine`,
    { skip },
    async (t) => {
      const host = await attackedHost(t, { isolation: "require", ...(uid !== undefined && { uid }) });
      const { alice, bob } = host;
      const mark = (name: number) => `${600_000 + process.pid}.${name}${uid ?? 0}`;

      const left = await alice.tool("run_command", { command: background(mark(1)) });
      t.match(left, { note: "ended 1 background processes" });
      t.notOk(runs(mark(1)), "it ends with its call");

      await fresh(alice);
      writeFileSync(join(alice.folder, "workspace/hide.py"), twoForks(mark(2)));
      const command = "/usr/bin/python3 hide.py; until [ -s hidden ]; do sleep 0.01; done";
      const other = await alice.tool("run_command", { command });
      t.match(other, { note: "ended 1 background processes" });
      t.notOk(runs(mark(2)), "a process with two forks and a new session is ended too");

      await fresh(alice);
      writeFileSync(join(alice.folder, "workspace/hide.py"), withoutFirstThread);
      t.match(await alice.tool("run_command", { command }), { note: "ended 1 background processes" });
      const hidden = Number(readFileSync(join(alice.folder, "workspace/hidden"), "utf8"));
      t.notOk(
        listProcesses().some(({ pid }) => pid === hidden),
        "also when its first thread has exited",
      );

      writeFileSync(join(alice.folder, "workspace/hop.py"), HOP);
      const beat = () => readFileSync(join(alice.folder, "workspace/beat"), "utf8");
      const hopped = await alice.tool("run_command", { command: "env -i /usr/bin/python3 hop.py; sleep 0.2" });
      t.match(hopped, { note: /^ended \d+ background processes$/ });
      const last = beat();
      t.match(await alice.tool("run_command", { command: "sleep 0.3" }), { exit_code: 0 });
      t.equal(beat(), last, "one that forks and exits all the time is ended too");

      const kept = "sleep 0.2; echo done";
      const both = await Promise.all([
        alice.tool("run_command", { command: kept }),
        bob.tool("run_command", { command: `${background(mark(3))}; echo done` }),
      ]);
      t.match(both, [{ exit_code: 0 }, { exit_code: 0, note: "ended 1 background processes" }]);
      t.match(await alice.call("/health"), { status: 200 });
      t.match(readFileSync(join(bob.folder, "workspace/diary"), "utf8"), "bob was here");

      // What the tool of the hostile server runs.
      writeFileSync(join(alice.folder, "workspace/run-attempts.py"), twoForks(mark(4)));
      await alice.tool("mcp__hostile__attempt", {});
      await until("the hidden process runs", () => runs(mark(4)));
      t.match(await alice.stop(), { status: 200 });
      await until("it is gone", () => !runs(mark(4)));
    },
  );
}
