import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { byProcessor } from "../../src/sandbox/system/system-calls.ts";
import { until } from "./until.ts";

/** The number of `exit`, which ends the calling thread alone. */
export const EXIT_THREAD = byProcessor({ x64: 60, arm64: 93 });

const PROGRAM = `
const { functions } = require("node:ffi").dlopen(null, { syscall: { arguments: ["i64", "i64"], return: "i64" } });
globalThis.held = Buffer.alloc(64 * 2 ** 20, 1);
functions.syscall(${EXIT_THREAD}n, 0n);`;

/** Starts a process with 64 MiB whose first thread has exited, while others go on. Its state is that of a zombie. */
export async function startHeadless(t: Test): Promise<number> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid!;
  t.teardown(() => child.kill("SIGKILL"));
  await until("its first thread has exited", () => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
  return pid;
}
