import t from "tap";
import { type Frame, type SseStream, type TestEngine, startEngine } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const BUSY_TURN =
  '/think a b c d\n/say one two three\n/tool list_files {"path":"."}\n/stream 60 400\n/say over and out';

/** Consecutive deltas put together, so that a merged reading and an unmerged one can be compared. */
function told(frames: readonly Frame[]): unknown[] {
  const whole: { event: string; text?: string; data?: unknown }[] = [];
  for (const { event, data } of frames) {
    const last = whole.at(-1);
    if (!event.endsWith("_delta")) whole.push({ event, data });
    else if (last?.event === event) last.text += data.text;
    else whole.push({ event, text: data.text });
  }
  return whole;
}

const page = async (engine: TestEngine, query: string) => (await engine.call(`/execute/replay?${query}`)).body;
const asFrames = (events: { event: string; data: unknown }[]): Frame[] => events.map((one) => ({ id: null, ...one }));

t.test("replay gives back what a client missed", async (t) => {
  const engine = await startEngine(t);
  const live = await engine.turn("lived", BUSY_TURN);
  const other = await engine.turn("other", "/say between");

  t.test("exactly, for every cursor of a turn, by time and by number", async (t) => {
    for (const [index, { data }] of live.entries()) {
      const before = live.slice(0, index + 1);
      for (const after of [data.ts, data.seq]) {
        const { events } = await page(engine, `task_id=lived&after=${after}`);
        const same = JSON.stringify(told([...before, ...asFrames(events)])) === JSON.stringify(told(live));
        if (!same) t.fail(`the union at ${after} is not the turn`);
      }
    }
    const { events } = await page(engine, "task_id=lived");
    t.ok(events.length < live.length, "deltas of a block are put together");
    t.match(events.at(-1).data, { phase: "completed", seq: live.at(-1)?.data.seq });
  });

  t.test("for the cursors a client of the seed has, which know no task", async (t) => {
    const started = live[0]?.data.timestamp;
    const { events, truncated, oldest_ts: oldest, next_after: next } = await page(engine, `after=${started}`);
    t.strictSame(told(asFrames(events)), told([...live.slice(1), ...other]));
    t.equal(truncated, false);
    t.equal(oldest, started);
    t.equal(next, other.at(-1)?.data.ts);
    t.same((await page(engine, `after=${next}`)).events, [], "nothing is behind the end");
    t.equal((await page(engine, `after=${next}`)).next_after, next);
  });

  t.test("on lines that end where every client says they end", async (t) => {
    const said = "one\u2028two\u2029three\u0085four";
    const frames = [
      ...(await engine.turn("lines\u2028", `/say ${said}`)),
      ...(await (
        await engine.stream(`/execute/replay?task_id=${encodeURIComponent("lines\u2028")}`, {
          headers: { accept: "text/event-stream" },
        })
      ).all()),
    ];
    const deltas = frames.filter(({ event }) => event === "text_delta").map(({ data }) => data.text);
    t.equal(deltas.join(""), said + said);
  });

  t.test("page by page", async (t) => {
    const got: Frame[] = [];
    let after = "0";
    for (;;) {
      const { events, next_after: next } = await page(
        engine,
        `turn_id=${live[0]?.data.turn_id}&limit=7&after=${after}`,
      );
      if (events.length === 0) break;
      got.push(...asFrames(events));
      after = next;
    }
    t.strictSame(told(got), told(live));
  });

  t.test("as frames, with ids when asked for", async (t) => {
    const headers = { accept: "text/event-stream" };
    const plain = await (await engine.stream("/execute/replay?task_id=lived", { headers })).all();
    t.strictSame(told(plain), told(live));
    t.ok(plain.every(({ id }) => id === null));
    const from = live[3];
    const withIds = await engine.stream("/execute/replay?task_id=lived", {
      headers: { ...headers, "last-event-id": String(from?.data.seq) },
    });
    const rest = await withIds.all();
    t.ok(rest.every(({ id, data }) => id === String(data.seq)));
    t.strictSame(told([...live.slice(0, 4), ...rest]), told(live));
  });
});

t.test(
  "a client that leaves in the middle reads the rest by replay, live, with no gap and nothing twice",
  async (t) => {
    const engine = await startEngine(t);
    const cut = async (stream: SseStream, count: number) => {
      await until(`${count} events came`, () => stream.frames.length >= count);
      stream.cut();
      return stream.frames.filter(({ event }) => event !== "heartbeat").slice(0, count);
    };
    const joins: Promise<void>[] = [1, 3, 9, 20, 45].map(async (count) => {
      const task = `left-${count}`;
      const stream = await engine.execute({ task_id: task, message: BUSY_TURN });
      const seen = await cut(stream, count);
      const { turn_id: turnId, seq } = seen.at(-1)?.data ?? {};
      const follow = await engine.stream(`/execute/replay?turn_id=${turnId}&follow=true&after=${seq}`, {
        headers: { accept: "text/event-stream" },
      });
      const rest = await follow.all();
      const whole = asFrames((await page(engine, `task_id=${task}`)).events);
      t.strictSame(told([...seen, ...rest]), told(whole), `cut after ${count}`);
      t.match(rest.at(-1)?.data, { phase: "completed" }, "the turn went on without its client");
    });
    await Promise.all(joins);
  },
);

t.test("many readers follow one turn, and each gets all of it", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "watched", message: BUSY_TURN });
  const { turn_id: turnId } = (await stream.first("thread_lifecycle")).data;
  const followers = await Promise.all(
    Array.from({ length: 12 }, () =>
      engine.stream(`/execute/replay?turn_id=${turnId}&follow=true`, { headers: { accept: "text/event-stream" } }),
    ),
  );
  const live = told(await stream.all());
  for (const follower of followers) t.strictSame(told(await follower.all()), live);
});

t.test("on_disconnect cancel ends the turn when its client leaves", async (t) => {
  const engine = await startEngine(t);
  const stream = await engine.execute({ task_id: "leaving", message: "/slow 60000", on_disconnect: "cancel" });
  await stream.first("thread_lifecycle");
  stream.cut();
  await until("the turn is cancelled", async () => {
    const { events } = await page(engine, "task_id=leaving");
    return events.at(-1)?.event === "error" && events.at(-1).data.error === "CANCELLED";
  });
});

t.test("a reader that stops reading is not waited for, and catches up when it reads again", async (t) => {
  const engine = await startEngine(t);
  const message = "/stream 60000";
  const stalled = await engine.execute({ task_id: "stalled", message });
  stalled.pause();
  const { turn_id: turnId } = (
    await until("the turn has begun", async () => (await page(engine, "task_id=stalled&limit=1")).events[0])
  ).data;
  const reader = await engine.stream(`/execute/replay?turn_id=${turnId}&follow=true`, {
    headers: { accept: "text/event-stream" },
  });
  t.match((await reader.all(60_000)).at(-1)?.data, { phase: "completed" }, "the turn and other readers went on");
  stalled.resume();
  const frames = await stalled.all(60_000);
  t.equal(frames.filter(({ event }) => event === "text_delta").length > 0, true);
  t.strictSame(told(frames), told(asFrames((await readAll(engine, "stalled")) as Frame[])), "it missed nothing");
});

async function readAll(engine: TestEngine, task: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let after = "0"; ;) {
    const { events, next_after: next } = await page(engine, `task_id=${task}&limit=10000&after=${after}`);
    if (events.length === 0) return all;
    all.push(...events);
    after = next;
  }
}
