import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { exactMemoryOf } from "../../../src/sandbox/processes/process-usage.ts";

const MIB = 1_048_576;

t.test("shared memory counts while the host's shrinks, because another program gives some back", async (t) => {
  const program = spawn("/usr/bin/python3", [
    "-c",
    "import mmap, time; m = mmap.mmap(-1, 50 << 20); m.write(b'x' * (50 << 20)); print('kept', flush=True); time.sleep(60)",
  ]);
  t.teardown(() => program.kill("SIGKILL"));
  await once(program.stdout, "data");
  t.ok(exactMemoryOf([program.pid ?? 0], 0) >= 50 * MIB);
});
