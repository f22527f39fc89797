import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { openStream } from "../helpers/engine.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const PAGE = 4096;

t.test(
  "an engine whose store is damaged ends, is started again with a new one, and is healthy for the daemon",
  async (t) => {
    const dataDir = freshFolder(t);
    const daemon = await startDaemon(t, {
      dataDir,
      databaseUrl: await freshDatabaseUrl(t),
      env: { ORCH_HEALTH_INTERVAL_S: "1" },
    });
    const { body: product } = await daemon.admin("/products/register", { method: "POST", body: { slug: "p" } });
    t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
    const platform = (path: string, method = "GET", body?: unknown) =>
      daemon.platform(product?.platform_api_key as string, path, { method, ...(body !== undefined && { body }) });
    const made = await platform("/engines/provision", "POST", { user_id: "alice" });
    const headers = { "x-engine-key": made.body?.engine_api_key as string };
    const turn = async (url: string) =>
      (await openStream(url, "/execute", { headers, body: { task_id: "t", message: "/say hello" } })).all();
    await turn(made.body?.url as string);
    await platform("/engines/alice/stop", "POST");
    const found = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).find((name) =>
      name.endsWith("/engine.db"),
    );
    const file = join(dataDir, found ?? "");
    const db = new DatabaseSync(file, { readOnly: true });
    const root = db.prepare("select rootpage from sqlite_schema where name = 'messages_of_branch'").get();
    db.close();
    const fd = openSync(file, "r+");
    writeSync(fd, Buffer.alloc(PAGE, 0xa5), 0, PAGE, (Number(root?.["rootpage"]) - 1) * PAGE);
    closeSync(fd);

    const { body: started } = await platform("/engines/alice/start", "POST");
    t.match(started, { state: "running" });
    await turn(started?.url as string).catch(() => undefined);
    const health = await until(
      "the engine is back with a new store",
      async () => {
        // While it starts again, the call waits on its socket.
        const answer = await ask(started?.url as string, "/health").catch(() => null);
        const { body } = await platform("/engines/alice");
        return body?.state === "running" && answer?.body?.memory_reset !== undefined && answer.body;
      },
      60_000,
    );
    t.match(health, { status: "ok", memory_reset: { old_file: `${file}.corrupt-`, reason: /malformed/ } });
    const { body: engine } = await platform("/engines/alice");
    t.match(engine, { state: "running", last_error: { exit_code: 75 } });
    t.match((await turn(engine?.url as string)).at(-1), { data: { phase: "completed" } });
  },
);
