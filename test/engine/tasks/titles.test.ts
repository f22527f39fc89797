import t from "tap";
import { createEngineClient } from "../../../src/client/engine-client.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { pruneTasks } from "../../../src/engine/tasks/prune-tasks.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";

const DAY_MS = 24 * 3600 * 1000;

t.test("a light model betters a title once, and never one of a person", async (t) => {
  const engine = await startEngine(t, { settings: { ENGINE_TITLES: "model" } });
  const client = createEngineClient(engine);
  await engine.turn("a", "/say fine\nWhich of the printers is cheapest over five years?");
  await until("the model has titled it", async () => (await client.task("a")).title_source === "model");
  t.equal((await client.task("a")).title, "About: is cheapest over five years?");
  t.match((await client.listTasks({ q: "about" })).items, [], "a word that asks nothing");
  await client.changeTask("a", { title: "Printers" });
  await engine.turn("a", "/say fine\nAnd over ten years?");
  await engine.turn("b", "/fail LLM_PROVIDER_ERROR");
  await engine.turn("b", "/say fine\nAnother try");
  await engine.turn("c", "/say fine\nThe last of all");
  await until("the next one is titled", async () => (await client.task("c")).title_source === "model");
  t.match(await client.task("a"), { title: "Printers", title_source: "user" });
  t.match(await client.task("b"), { title: "/fail LLM_PROVIDER_ERROR", title_source: "first_words" });
});

t.test("without titles a task has none until a person sets one", async (t) => {
  const engine = await startEngine(t, { settings: { ENGINE_TITLES: "off" } });
  const client = createEngineClient(engine);
  await engine.turn("a", "/say fine");
  t.match(await client.task("a"), { title: "", title_source: "first_words" });
});

t.test("tasks that are inactive for longer than their policy allows are deleted, unless a turn runs", async (t) => {
  const store = openStore(freshFolder(t));
  t.teardown(() => store.close());
  const tasks = new TaskTable(store);
  const now = Date.now();
  for (const [taskId, days] of [
    ["old", 8],
    ["busy", 9],
    ["young", 6],
  ] as const)
    tasks.turnStarted(taskId, { agent: "default", message: "x", at: now - days * DAY_MS });
  const deleted: string[] = [];
  const parts = {
    tasks,
    slots: { get: (taskId: string) => (taskId === "busy" ? ({} as never) : undefined) },
    taskChanger: {
      delete(taskId: string, { forget }: { readonly forget: boolean }) {
        deleted.push(`${taskId} ${forget}`);
        return Promise.resolve({ task_id: taskId, deleted: {}, kept_messages: 0, forgotten: null });
      },
    },
    logger: createLogger("test", "silent"),
  };
  await pruneTasks({ ...parts, ttlDays: undefined });
  t.same(deleted, []);
  await pruneTasks({ ...parts, ttlDays: 7 });
  t.same(deleted, ["old false"]);
});
