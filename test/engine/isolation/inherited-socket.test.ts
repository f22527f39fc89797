import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { NOT_ISOLATED } from "../../../src/contract/engine/launch-file.ts";
import { closeDescriptor } from "../../../src/sandbox/processes/process-limits.ts";
import { openListener, socketAddress } from "../../../src/sandbox/sockets/listening-sockets.ts";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";
import { freePort } from "../../helpers/daemon.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";
import { agentFile } from "../catalog/catalog-bench.ts";
import { cannotConfine } from "../../sandbox/programs/launcher-bench.ts";
import { CONFINED } from "../../helpers/confined.ts";

const KINDS = {
  "an engine that is not isolated": { isolation: NOT_ISOLATED, skip: nativeProblem() ?? false },
  "an isolated engine": { isolation: CONFINED, skip: cannotConfine },
};

function descriptorsOf(pid: number | string | undefined): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

for (const [kind, { isolation, skip }] of Object.entries(KINDS)) {
  t.test(`${kind} accepts on the socket that it inherits, and its commands do not inherit it`, { skip }, async (t) => {
    const dataDir = t.testdir();
    mkdirSync(join(dataDir, "catalog/agents"), { recursive: true });
    const allowed = agentFile("default", "permissions:\n  run_command: allow\n");
    writeFileSync(join(dataDir, "catalog/agents/default.md"), allowed);
    const port = await freePort();
    const address = socketAddress("127.0.0.1", port);
    if (address === null) throw new Error("it is an address");
    const listener = openListener(address, 16);
    t.teardown(() => closeDescriptor(listener));
    const engine = await startEngine(t, { dataDir, isolation, listener, port });
    const command = JSON.stringify({ command: "echo $$ > pid; sleep 60" });
    const stream = await engine.execute({
      task_id: "task",
      message: `/tool run_command ${command}`,
      on_disconnect: "cancel",
    });
    const pidFile = join(dataDir, "workspace/pid");
    const pid = await until("it runs", () => (existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim() : ""));
    const socket = readlinkSync(`/proc/self/fd/${listener}`);
    t.ok(descriptorsOf(engine.process.pid).includes(socket));
    t.ok(descriptorsOf(pid).length > 2);
    t.notOk(descriptorsOf(pid).includes(socket));
    stream.cut();
    t.equal(await engine.stop(), 0);
  });
}
