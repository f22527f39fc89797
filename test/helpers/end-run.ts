/** The last of a test run, by .taprc: waits until what its files shared is gone. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readIdentity } from "../../src/shared/processes.ts";
import { runFolder } from "./shared-postgres.ts";
import { until } from "./until.ts";

const folder = runFolder(readIdentity(process.ppid));
const keeper = join(folder, "keeper.pid");
if (existsSync(folder)) {
  await until("the keeper is there", () => existsSync(keeper), 30_000);
  process.kill(Number(readFileSync(keeper, "utf8")), "SIGTERM");
  await until("nothing of the run is left", () => !existsSync(folder), 60_000);
}
