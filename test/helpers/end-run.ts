/** The last of a test run, by .taprc: ends what its files shared, and fails the run when anything of it is left. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readIdentity } from "../../src/sandbox/processes/process-table.ts";
import { leftovers, runFolder } from "./run.ts";
import { until } from "./until.ts";

const run = readIdentity(process.ppid);
const folder = runFolder(run);
const keeper = join(folder, "keeper.pid");
if (existsSync(folder)) {
  await until("the keeper is there", () => existsSync(keeper), 30_000);
  process.kill(Number(readFileSync(keeper, "utf8")), "SIGTERM");
  await until("the folder of the run is removed", () => !existsSync(folder), 60_000);
}
await until("nothing of the run is left", () => leftovers(run).length === 0).catch(() => {
  process.stderr.write(`left by this test run:\n${leftovers(run).join("\n")}\n`);
  process.exitCode = 1;
});
