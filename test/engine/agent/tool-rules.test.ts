import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { ClientTool } from "../../../src/contract/engine/client-tool.ts";
import type { RulePermission, ToolRule } from "../../../src/engine/tools/tool-rules.ts";
import { type Frame, startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";
import { until } from "../../helpers/until.ts";

const rule = (permission: RulePermission, tool: string, input: ToolRule["input"] = []): ToolRule => ({
  tool,
  permission,
  input,
  reason: null,
  place: { path: "settings.yaml", line: 2 },
});
const pick: ClientTool = { name: "pick", description: "Picks", input_schema: { type: "object" } };

t.test("a denied call does not run and is not given to the client, and the model reads why", async (t) => {
  const ran: string[] = [];
  const tool = testTool("mcp__shop__refund", () => Promise.resolve(ran.push("refund")));
  const provider = scriptedProvider(calls(["a", "mcp__shop__refund", {}], ["b", "pick", {}]), says("done"));
  const rules = [rule("deny", "mcp__shop__*"), rule("deny", "pick")];
  const parts = engineParts(t, { provider, tools: [tool], rules });
  const turn = parts.runner.start({ task_id: "task", message: "go", client_tools: [pick] });
  turn.run();
  await until("the turn is over", () => !parts.runner.isRunning(turn.turnId));
  const results = parts.events(turn.turnId).filter(({ event }) => event === "tool_result");
  t.match(
    results.map(({ data }) => data),
    [{ error: /rules deny this call/ }, { error: /rules deny this call/ }],
  );
  t.same(ran, []);
  t.same(parts.clientCalls.pending(), []);
});

t.test("a rule that asks makes a permission prompt of a call that needs none", async (t) => {
  const ran: string[] = [];
  const tool = testTool("look", () => Promise.resolve(ran.push("look")));
  const provider = scriptedProvider(calls(["a", "look", {}]), says("done"));
  const parts = engineParts(t, { provider, tools: [tool], rules: [rule("ask", "look")] });
  const turn = parts.runner.start({ task_id: "task", message: "go" });
  turn.run();
  const request = await until("a person is asked", () => parts.humanRequests.pending()[0] ?? null);
  t.match(request, { kind: "permission", question: /May the agent use look/ });
  t.same(ran, []);
  parts.humanRequests.answer(request.request_id, "allow_once");
  await until("the turn is over", () => !parts.runner.isRunning(turn.turnId));
  t.same(ran, ["look"]);
});

t.test("an engine killed while it asks judges the call again: a rule that denies since then holds", async (t) => {
  const dataDir = freshFolder(t);
  const settings = (permission: RulePermission) => {
    mkdirSync(join(dataDir, "catalog"), { recursive: true });
    const text = `tool_rules:\n  - { tool: write_file, input: { path: notes* }, permission: ${permission} }\n`;
    writeFileSync(join(dataDir, "catalog/settings.yaml"), text);
  };
  settings("ask");
  const first = await startEngine(t, { dataDir });
  const input = JSON.stringify({ path: "x/../notes.txt", content: "kept" });
  const stream = await first.execute({ task_id: "task", message: `/tool write_file ${input}\n/say Done.` });
  await stream.first("hitl_request");
  await first.stop("SIGKILL");
  settings("deny");
  const second = await startEngine(t, { dataDir });
  const results = await until("the turn is over", async () => {
    const { events } = (await second.call("/execute/replay?after=0")).body as { events: readonly Frame[] };
    const isOver = events.some(({ event, data }) => event === "thread_lifecycle" && data.phase === "completed");
    return isOver ? events.filter(({ event }) => event === "tool_result") : null;
  });
  t.match(
    results.map(({ data }) => data),
    [{ tool: "write_file", error: /rules deny this call/ }],
  );
  t.notOk(existsSync(join(dataDir, "workspace/notes.txt")));
  t.same((await second.call("/hitl/pending")).body.requests, [], "nothing is asked any more");
});
