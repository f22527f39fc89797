import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import t from "tap";
import { startEmbeddingsServer } from "../../helpers/embeddings-server.ts";
import { startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

t.test("a compacted conversation keeps its rounds in memory, with their vectors", async (t) => {
  const server = await startEmbeddingsServer(t);
  const settings = { ENGINE_EMBEDDINGS_URL: server.url("host"), ENGINE_EMBEDDINGS_MODEL: "small" };
  const engine = await startEngine(t, { settings });
  await engine.turn("task", "Our old sloop lies in the harbour at Vik.\n/say Noted.");
  await engine.turn("task", `/say ${"lorem ".repeat(200)}`);
  const store = new DatabaseSync(join(engine.dataDir, "engine.db"), { readOnly: true });
  t.teardown(() => store.close());
  const vectors = () =>
    store
      .prepare("select item, vector from embedding_vectors join episodes on number = item order by item limit 2")
      .all();
  await until("both rounds have a vector", () => vectors().length === 2, 90_000);
  const before = vectors();
  const frames = await engine.turn("task", "/compact\n/say it fits now");
  t.ok(frames.some(({ event }) => event === "compaction_event"));
  t.same(vectors(), before);
  t.match(store.prepare("select question from episodes order by number limit 1").get()?.["question"], /sloop/);
});
