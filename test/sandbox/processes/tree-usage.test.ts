import { spawn } from "node:child_process";
import { once } from "node:events";
import t, { type Test } from "tap";
import { readProportionalMemory, readUsage } from "../../../src/sandbox/processes/tree-usage.ts";
import { startHeadless } from "../../helpers/headless.ts";
import { until } from "../../helpers/until.ts";

/** A session of its own, as an engine's. Its child burns CPU time and holds 64 MiB. */
async function startTree(t: Test): Promise<number> {
  const burn = "const held = Buffer.alloc(64 * 2 ** 20, 1); process.send('up'); for (;;) held[0]++;";
  const script = `
    const stdio = ["ignore", "ignore", "inherit", "ipc"];
    const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(burn)}], { stdio });
    child.on("message", () => console.log("up"));`;
  const root = spawn(process.execPath, ["-e", script], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => process.kill(-root.pid!, "SIGKILL"));
  await once(root.stdout, "data");
  return root.pid!;
}

t.test("CPU time and memory are those of the whole tree, and rise while a child works", async (t) => {
  const pid = await startTree(t);
  const first = readUsage([pid]).get(pid);
  t.ok(first!.memoryBytes > 64 * 2 ** 20, `${first!.memoryBytes} bytes`);
  await until("the child has used CPU time", () => readUsage([pid]).get(pid)!.cpuMs > first!.cpuMs + 50);
});

t.test("a process that is gone has no usage", async (t) => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  t.same(readUsage([child.pid!, 0]).get(child.pid!), undefined);
});

t.test("the memory of a process whose first thread has exited counts", async (t) => {
  const pid = await startHeadless(t);
  t.ok(readUsage([pid]).get(pid)!.memoryBytes > 64 * 2 ** 20);
  t.ok(readProportionalMemory([pid])[0]! > 64 * 2 ** 20);
});

t.test("proportional memory is that of the whole tree, and a root that is gone has none", async (t) => {
  const pid = await startTree(t);
  const [bytes = 0, ...others] = readProportionalMemory([pid, 2 ** 22 + 1]);
  t.ok(bytes > 64 * 2 ** 20, `${bytes} bytes`);
  t.ok(bytes < 2 * readUsage([pid]).get(pid)!.memoryBytes);
  t.same(others, []);
});
