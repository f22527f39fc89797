import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { readIdentity } from "../../../../src/sandbox/processes.ts";
import { ProcessTree } from "../../../../src/orchestrator/fleet/process/process-tree.ts";
import { until } from "../../../helpers/until.ts";

t.test("the daemon and its process group are never members of a tree", async (t) => {
  const tree = new ProcessTree({ root: readIdentity(process.pid), launchFile: "/nowhere/launch.json" });
  t.notOk(tree.scan().some(({ pid }) => pid === process.pid));
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
  t.same(
    new ProcessTree({ root: readIdentity(child.pid ?? 0), launchFile: "/nowhere/launch.json" }).scan(),
    [],
    "a child in the daemon's group",
  );
  child.kill("SIGKILL");
  await once(child, "exit");
});

t.test("a process that reuses the root's pid is not a member", async (t) => {
  const stranger = spawn("/bin/sleep", ["60"], { stdio: "ignore", detached: true });
  const { pid, startTime } = readIdentity(stranger.pid ?? 0);
  const tree = new ProcessTree({
    root: { pid, startTime: String(Number(startTime) - 1) },
    launchFile: "/nowhere/launch.json",
  });
  t.same(tree.scan(), []);
  t.equal(new ProcessTree({ root: { pid, startTime }, launchFile: "/nowhere/launch.json" }).scan().length, 1);
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
});

t.test("a pid that is reused between scan and signal is not signalled", async (t) => {
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore", detached: true });
  const identity = readIdentity(child.pid ?? 0);
  const tree = new ProcessTree({ root: identity, launchFile: "/nowhere/launch.json" });
  const stale = tree.scan().map((member) => ({ ...member, startTime: String(Number(member.startTime) + 1) }));
  tree.signal(stale, "SIGKILL");
  t.ok(tree.anyKnownAlive());
  tree.signal(tree.scan(), "SIGKILL");
  t.same(await once(child, "exit"), [null, "SIGKILL"]);
  t.notOk(tree.anyKnownAlive());
});

const skip = process.getuid?.() === 0 ? false : "only root may start a process as another user";
t.test("a process of the engine's own user is a member, whatever its environment and session", { skip }, async (t) => {
  const uid = 1_999_000_001;
  const options = { stdio: "ignore", detached: true, env: {}, cwd: "/" } as const;
  const escaped = spawn("/bin/sleep", ["60"], { ...options, uid, gid: uid });
  const neighbour = spawn("/bin/sleep", ["60"], { ...options, uid: uid + 1, gid: uid + 1 });
  const launchFile = "/nowhere/launch.json";
  const members = () => new ProcessTree({ root: null, launchFile, uid }).scan().map(({ pid }) => pid);
  await until("it is seen", () => members().length > 0);
  t.same(members(), [escaped.pid]);
  const later = { pid: escaped.pid ?? 0, startTime: String(Number.MAX_SAFE_INTEGER) };
  t.same(
    new ProcessTree({ root: later, launchFile, uid }).scan(),
    [],
    "a process that is older than the engine is not in its tree",
  );
  for (const child of [escaped, neighbour]) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
