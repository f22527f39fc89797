import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readStat, sendSignal } from "../../src/sandbox/processes/process-table.ts";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

/** In the background, in a session of its own, and forked twice; each writes down who it is. */
const FAMILY = [
  "sleep 300 & echo $! >> pids",
  "(setsid sh -c 'echo $$ >> pids; exec sleep 300' &)",
  "(setsid sh -c '(sleep 300 & echo $! >> pids) & exit 0' > /dev/null 2>&1 &)",
  "wait",
].join("; ");

t.test("processes of an engine's commands end when the engine is killed", async (t) => {
  const dataDir = freshFolder(t);
  const daemon = await startDaemon(t, {
    dataDir,
    databaseUrl: await freshDatabaseUrl(t),
    env: { ORCH_HEALTH_INTERVAL_S: "1" },
  });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p" } });
  const made = await daemon.platform(body.platform_api_key, "/engines/provision", {
    method: "POST",
    body: { user_id: "alice" },
  });
  const headers = { "x-engine-key": made.body.engine_api_key };
  const message = `/tool run_command ${JSON.stringify({ command: FAMILY })}`;
  const stream = await openStream(made.body.url, "/execute", { headers, body: { task_id: "t", message } });
  const { data } = await stream.first("hitl_request");
  await ask(made.body.url, "/hitl/respond", {
    method: "POST",
    headers,
    body: { request_id: data.request_id, answer: "allow_once" },
  });
  const file = join(dataDir, "engines", made.body.id, "workspace", "pids");
  const pids = await until("the family is there", () => {
    const found = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
    return found.length === 3 ? found : null;
  });
  t.teardown(() => pids.forEach((pid) => sendSignal(pid, "SIGKILL")));
  const engine = readStat(readStat(pids[0] ?? 0)?.parent ?? 0)?.parent ?? 0;
  t.ok(engine > 1);
  sendSignal(engine, "SIGKILL");
  await until("nobody of the family is left", () => pids.every((pid) => readStat(pid) === null), 30_000);
  await until(
    "the engine is back",
    async () => {
      const health = await ask(made.body.url, "/health").catch(() => null);
      return health !== null && health.body.incarnation !== made.body.incarnation;
    },
    30_000,
  );
});
