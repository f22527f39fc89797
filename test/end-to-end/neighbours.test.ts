import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { listProcesses } from "../../src/sandbox/processes/process-table.ts";
import { ask } from "../helpers/api.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { type SseStream, openStream } from "../helpers/engine.ts";
import { readText } from "../helpers/fleet.ts";
import { freshFolder } from "../helpers/folder.ts";
import { boundedHierarchies } from "../helpers/limits.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

const skip = boundedHierarchies() === null ? "needs writable controllers for processes and memory" : false;

/** Each ends by itself, lest a test that was killed leave it behind. Its name is that of its processes. */
const hostile = (name: string, body: string): string =>
  `exec perl -e '$0 = "${name}"; my $end = time + 60; while (time < $end) { ${body} }'`;
const ATTACKS = {
  "orch-forks": hostile("orch-forks", "fork; select(undef, undef, undef, 0.01);"),
  "orch-hogs": hostile("orch-hogs", 'push @kept, "x" x 2_000_000; fork if @kept == 5;'),
  "orch-fills": hostile("orch-fills", 'open(F, ">>", "file"); print F "x" x 500_000; close F;'),
  "orch-prints": hostile("orch-prints", 'print "x" x 500_000;'),
};
const alive = (name: string): number =>
  listProcesses().filter(({ pid }) => readText(`/proc/${pid}/comm`).trim() === name).length;

t.test("one user's hostile command disturbs no other user, and a cancel leaves nothing of it", { skip }, async (t) => {
  const dataDir = freshFolder(t);
  const daemon = await startDaemon(t, { dataDir, databaseUrl: await freshDatabaseUrl(t) });
  t.teardown(() => daemon.admin("/products/p?force=true", { method: "DELETE" }));
  const policy = { max_processes: 150, memory_mb: 256, disk_mb: 64 };
  const product = await daemon.admin("/products/register", { method: "POST", body: { slug: "p", policy } });
  const [alice, bob] = [await engineOf("alice"), await engineOf("bob")];

  for (const [name, command] of Object.entries(ATTACKS)) {
    await t.test(name, async (t) => {
      const stream = await alice.run(name, command);
      await until("it runs, or was ended by its limit", () => alive(name) > 0 || stream.ended);
      for (const turn of [1, 2, 3]) t.equal((await bob.say(`${name}-${turn}`)).at(-1)?.data.phase, "completed");
      t.equal((await ask(alice.url, "/health")).status, 200, "her engine answers too");
      await alice.post("/execute/cancel", { task_id: name });
      const cancelled = Date.now();
      await until("nothing of it is left", () => alive(name) === 0);
      t.ok(Date.now() - cancelled < 5000, `gone after ${Date.now() - cancelled} ms`);
      await stream.all();
    });
  }
  t.ok(readFileSync(join(dataDir, "engines", alice.id, "engine.log")).length < 10_000_000);
  t.equal((await alice.say("after")).at(-1)?.data.phase, "completed");
  const { body: health } = await ask(alice.url, "/health");
  t.equal(health.incarnation, alice.incarnation, "her engine never ended");

  async function engineOf(user: string) {
    const made = await daemon.platform(product.body.platform_api_key, "/engines/provision", {
      method: "POST",
      body: { user_id: user },
    });
    const { url, id, incarnation, engine_api_key: key } = made.body;
    const headers = { "x-engine-key": key };
    const post = (path: string, body: object) => ask(url, path, { method: "POST", headers, body });
    const execute = (task_id: string, message: string): Promise<SseStream> =>
      openStream(url, "/execute", { headers, body: { task_id, message } });
    return {
      url,
      id,
      incarnation,
      post,
      say: async (task: string) => (await execute(task, "/say hello")).all(),
      async run(task: string, command: string) {
        const stream = await execute(task, `/tool run_command ${JSON.stringify({ command })}`);
        const { data } = await stream.first("hitl_request");
        await post("/hitl/respond", { request_id: data.request_id, answer: "allow_once" });
        return stream;
      },
    };
  }
});
