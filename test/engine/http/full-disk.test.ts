import t from "tap";
import { ask } from "../../helpers/api.ts";
import { KEY, engineParts, says, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";
import { type Frame, openStream } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const headers = { "x-engine-key": KEY };

t.test(
  "a full disk ends the turns it meets within seconds, and nothing else; when there is room all is stored",
  async (t) => {
    const text = "x".repeat(10_000);
    const parts = engineParts(t, {
      provider: scriptedProvider(
        says("before"),
        async function* (_request, signal) {
          yield { kind: "block_start", block: "text" };
          while (!signal.aborted) {
            yield { kind: "text", text };
            await new Promise(setImmediate);
          }
          yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
        },
        says("after"),
      ),
    });
    const { db } = parts.store;
    const pages = (): number => Number(db.prepare("pragma page_count").get()?.["page_count"]);
    const url = await servedParts(t, parts, { heartbeatMs: 20 });
    await parts.turn("early");
    const met = await openStream(url, "/execute", { headers, body: { task_id: "met", message: "go" } });
    await met.first("text_delta");
    db.exec(`pragma max_page_count = ${pages() + 20}`);
    let tries = 0;
    const refused = await until("there is no room", async () => {
      // One that begins in the last room there is ends as `met` does.
      const late = await openStream(url, "/execute", { headers, body: { task_id: `late-${tries++}`, message: text } });
      if (late.status === 500) return { status: 500, body: await late.json() };
      late.cut();
      return null;
    });
    t.match(refused, { status: 500, body: { error: "INTERNAL_ERROR", message: /disk is full/ } });
    const frames = await met.all();
    t.match(frames.at(-1), { event: "error", data: { error: "INTERNAL_ERROR", message: /disk is full/ } });
    await until("no task is held", () => parts.slots.size === 0);
    t.match(await ask(url, "/execute/replay?limit=1", { headers }), { status: 200, body: { events: { length: 1 } } });
    t.match(
      await ask(url, "/execute", { method: "POST", headers, body: { task_id: "met", message: "x" } }),
      { status: 500, body: { error: "INTERNAL_ERROR", message: /disk is full/ } },
      "its task is free, and still there is no room",
    );
    const late = await openStream(url, `/execute/replay?turn_id=${frames[0]?.data.turn_id}&follow=true`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    t.strictSame((await late.all()).at(-1), frames.at(-1), "who comes now is told the same end");

    db.exec("pragma max_page_count = 1000000");
    const seqs = frames.map(({ data }) => data.seq);
    t.strictSame(
      seqs,
      seqs.toSorted((left, right) => left - right),
    );
    t.match((await parts.turn("met")).at(-1), { data: { phase: "completed" } });
    const replayed = await openStream(url, "/execute/replay", { headers: { ...headers, accept: "text/event-stream" } });
    const all = (await replayed.all()).filter(({ data }) => data.turn_id === frames[0]?.data.turn_id);
    const length = (some: readonly Frame[]) => some.reduce((sum, { data }) => sum + (data.text?.length ?? 0), 0);
    t.equal(length(all), length(frames), "the stored text is as long as the sent text");
  },
);

t.test(
  "an end whose transaction SQLite rolls back by itself is stored whole when it can be, and told meanwhile",
  async (t) => {
    const parts = engineParts(t, { provider: scriptedProvider(says("one"), says("two")) });
    const { db } = parts.store;
    const url = await servedParts(t, parts);
    db.exec("create trigger full before insert on trajectories begin select raise(rollback, 'no room'); end");
    const stream = await openStream(url, "/execute", { headers, body: { task_id: "t", message: "go" } });
    const frames = await stream.all();
    t.match(frames.at(-1), { data: { phase: "completed" } });
    const { turn_id: turnId, seq } = frames.at(-1)?.data ?? {};
    const state = () => db.prepare("select state from turns where turn_id = ?").get(turnId)?.["state"];
    t.equal(state(), "running", "nothing of it is stored");
    db.exec("drop trigger full");
    await until("the end is stored", () => state() === "completed");
    t.equal(parts.journal.read({ turnId, limit: 1000 }).at(-1)?.seq, seq);
    t.match((await parts.turn("t")).at(-1), { data: { phase: "completed" } });
  },
);
