import t from "tap";
import { ask } from "../../helpers/api.ts";
import { KEY, engineParts, says, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";
import { type Frame, openStream } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const headers = { "x-engine-key": KEY };

t.test("a full disk ends the turns it meets, and nothing else; when there is room again all is told", async (t) => {
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
    // One that begins in the last room there is waits, as `met` does, to be told its end.
    const late = await openStream(url, "/execute", { headers, body: { task_id: `late-${tries++}`, message: text } });
    if (late.status === 500) return { status: 500, body: await late.json() };
    late.cut();
    return null;
  });
  t.match(refused, { status: 500, body: { error: "INTERNAL_ERROR", message: /disk is full/ } });
  await until("the turn it met has ended", () => parts.slots.all().every(({ signal }) => signal.aborted));
  t.match(await ask(url, "/execute/replay?limit=1", { headers }), { status: 200, body: { events: { length: 1 } } });
  t.match(
    await ask(url, "/execute", { method: "POST", headers, body: { task_id: "met", message: "x" } }),
    {
      status: 409,
      body: { error: "TASK_BUSY" },
    },
    "its end is not told yet, so its task is not free",
  );
  t.notOk(met.ended);

  db.exec("pragma max_page_count = 1000000");
  const frames = await met.all();
  t.match(frames.at(-1), { event: "error", data: { error: "INTERNAL_ERROR", message: /disk is full/ } });
  const seqs = frames.map(({ data }) => data.seq);
  t.strictSame(
    seqs,
    seqs.toSorted((left, right) => left - right),
  );
  t.match((await parts.turn("met")).at(-1), { data: { phase: "completed" } });
  const replayed = await openStream(url, "/execute/replay", { headers: { ...headers, accept: "text/event-stream" } });
  const all = (await replayed.all()).filter(({ data }) => data.turn_id === frames[0]?.data.turn_id);
  const length = (some: readonly Frame[]) => some.reduce((sum, { data }) => sum + (data.text?.length ?? 0), 0);
  t.equal(length(all), length(frames), "what was told is what is kept");
});
