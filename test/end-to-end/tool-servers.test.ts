import { resolve } from "node:path";
import t from "tap";
import { fixture } from "../engine/mcp/tool-server-bench.ts";
import { says, tinyToolServer } from "../engine/mcp/tiny-tool-server.ts";
import { catalogArchive } from "../helpers/catalog-archive.ts";
import { openFleet } from "../helpers/sleepers.ts";
import { ask } from "../helpers/api.ts";
import { until } from "../helpers/until.ts";

const checkout = resolve(import.meta.dirname, "../..");

t.test("a scheduled turn of a sleeper has the tools of servers, over stdio and over HTTP", async (t) => {
  const fleet = await openFleet(t, { policy: { min_schedule_interval_s: 1 }, env: { ORCH_TOOL_READ_PATHS: checkout } });
  const { url } = await tinyToolServer(t, says("from afar"));
  const allow = { permissions: { "*": "allow" } };
  const mcpServers = { near: { ...fixture("shows"), ...allow }, far: { url, ...allow } };
  const pushed = await ask(fleet.daemon.url, "/catalog", {
    method: "PUT",
    headers: { "x-platform-key": fleet.platformKey },
    body: await catalogArchive({ ".mcp.json": JSON.stringify({ mcpServers }) }),
  });
  t.equal(pushed.status, 200, pushed.text);
  const anna = await fleet.provision("anna");
  const resultsOf = async (taskId: string) => {
    const { body } = await anna.call(`/execute/replay?task_id=${taskId}`);
    const events: { event: string; data: Record<string, unknown> }[] = body.events;
    const results = events.filter(({ event }) => event === "tool_result").map(({ data }) => data);
    return results.toSorted((left, right) => (String(left["tool"]) < String(right["tool"]) ? -1 : 1));
  };
  const message = "/tool mcp__far__speak {}\n/tool mcp__near__reads {}\n/say done";
  await (await anna.execute("first", message)).all();
  t.match(
    await resultsOf("first"),
    [
      { output: "from afar", error: null },
      { output: "read", error: null },
    ],
    "just provisioned",
  );
  for (const taskId of ["one", "two"]) {
    await anna.sleep();
    const at = new Date(Date.now() + 1000).toISOString();
    const schedule = { name: taskId, timing: { kind: "at", at }, message, task_id: taskId };
    const { body: made } = await fleet.platform("POST", "/engines/anna/schedules", schedule);
    await until("its run is done", async () => {
      const { body } = await fleet.platform("GET", `/engines/anna/schedules/${made.id}/runs`);
      return body.data.some(({ state }: { state: string }) => state === "done");
    });
    t.match(
      await resultsOf(taskId),
      [
        { output: "from afar", error: null },
        { output: "read", error: null },
      ],
      `schedule ${taskId}`,
    );
    t.match(await anna.show(), { awake: { woken_by: "schedule" } });
  }
});
