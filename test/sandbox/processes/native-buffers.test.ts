import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import t from "tap";
import { canReadMemory } from "../../../src/sandbox/processes/other-process.ts";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";

const skip = nativeProblem() ?? (!canReadMemory() && "may not read memory");
const from = (name: string) => JSON.stringify(resolve(import.meta.dirname, `../../../src/sandbox/${name}.ts`));

/** Enough for the optimizing compiler, whose code forgets a buffer after its last use. */
const PROGRAM = `
import { readMemory } from ${from("processes/other-process")};
import { addressOf } from ${from("system/system-calls")};
const source = Buffer.from("0123456789abcdef");
const address = addressOf(source);
let wrong = 0;
for (let i = 0; i < 100_000; i++) if (!readMemory(process.pid, address, 16).equals(source)) wrong++;
console.log(wrong);`;

t.test("no buffer is freed while the kernel uses it", { skip }, (t) => {
  const args = ["--gc-interval=50", "--no-warnings", "--input-type=module", "-e", PROGRAM];
  t.equal(execFileSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 }), "0\n");
  t.end();
});
