import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { listProcesses, withDescendants } from "../../src/sandbox/processes/process-table.ts";
import { until } from "../helpers/until.ts";
import { settle } from "./parts/invariants.ts";
import { openSite } from "./parts/site.ts";
import { Tally } from "./parts/tally.ts";

t.setTimeout(180_000);
const tally = new Tally();
t.teardown(() => tally.print(t));
const site = await openSite(t, { ownServer: true, engine: "well-behaved" });
const { product } = site;
/** Shorter than the deadline of any state. */
const SOON_MS = 20_000;

const engine = async () => (await product.get("/engines/ann")).body;

/** Sends SIGSTOP to all processes of the database. Returns the function that resumes them. */
async function freeze(): Promise<() => void> {
  const { rows } = await site.db.query<{ data_directory: string }>("show data_directory");
  const [line] = readFileSync(join(rows[0]?.data_directory ?? "", "postmaster.pid"), "utf8").split("\n");
  const processes = listProcesses();
  const server = processes.filter(({ pid }) => pid === Number(line));
  const pids = withDescendants(server, processes).map(({ pid }) => pid);
  const signal = (name: NodeJS.Signals) => pids.forEach((pid) => process.kill(pid, name));
  signal("SIGSTOP");
  t.teardown(() => {
    // Also after a failed test, since a stopped server cannot be terminated.
    for (const { pid } of listProcesses().filter((one) => pids.includes(one.pid))) process.kill(pid, "SIGCONT");
  });
  return () => signal("SIGCONT");
}

t.test("a restart whose claim commits after its timeout continues and counts once", async (t) => {
  tally.tried++;
  await product.post("/engines/provision", { user_id: "ann" });
  for (let crashes = 1; crashes <= 2; crashes++) {
    await until("it runs", async () => (await engine()).state === "running", 30_000);
    process.kill((await engine()).pid, "SIGKILL");
    await until("the crash is counted", async () => (await engine()).restarts.count === crashes);
  }
  // In back-off: the claim is sent to a server that reads it only after it resumes.
  const goOn = await freeze();
  const printed = site.daemon.output().length;
  await until(
    "the daemon has given the answer up",
    () => /"what":"restart"/.test(site.daemon.output().slice(printed)),
    60_000,
  );
  goOn();
  await until("it runs again", async () => (await engine()).state === "running", SOON_MS);
  t.same(await settle(site, tally, { deadlineMs: SOON_MS }), {});
  t.match(await engine(), { restarts: { count: 2 }, last_error: { phase: "run", signal: "SIGKILL" } });
});
