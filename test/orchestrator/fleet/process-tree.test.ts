import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { readIdentity } from "../../../src/orchestrator/fleet/process-identity.ts";
import { ProcessTree } from "../../../src/orchestrator/fleet/process-tree.ts";

t.test("the daemon and its process group are never members of a tree", async (t) => {
  const tree = new ProcessTree(readIdentity(process.pid), "/nowhere/launch.json");
  t.notOk(tree.scan().some(({ pid }) => pid === process.pid));
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
  t.same(
    new ProcessTree(readIdentity(child.pid ?? 0), "/nowhere/launch.json").scan(),
    [],
    "a child in the daemon's group",
  );
  child.kill("SIGKILL");
  await once(child, "exit");
});

t.test("a process that reuses the root's pid is not a member", async (t) => {
  const stranger = spawn("/bin/sleep", ["60"], { stdio: "ignore", detached: true });
  const { pid, startTime } = readIdentity(stranger.pid ?? 0);
  const tree = new ProcessTree({ pid, startTime: String(Number(startTime) - 1) }, "/nowhere/launch.json");
  t.same(tree.scan(), []);
  t.equal(new ProcessTree({ pid, startTime }, "/nowhere/launch.json").scan().length, 1);
  stranger.kill("SIGKILL");
  await once(stranger, "exit");
});

t.test("a pid that is reused between scan and signal is not signalled", async (t) => {
  const child = spawn("/bin/sleep", ["60"], { stdio: "ignore", detached: true });
  const identity = readIdentity(child.pid ?? 0);
  const tree = new ProcessTree(identity, "/nowhere/launch.json");
  const stale = tree.scan().map((member) => ({ ...member, startTime: String(Number(member.startTime) + 1) }));
  tree.signal(stale, "SIGKILL");
  t.ok(tree.anyKnownAlive());
  tree.signal(tree.scan(), "SIGKILL");
  t.same(await once(child, "exit"), [null, "SIGKILL"]);
  t.notOk(tree.anyKnownAlive());
});
