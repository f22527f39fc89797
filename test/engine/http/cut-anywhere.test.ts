import { request } from "node:http";
import t from "tap";
import { KEY, engineParts, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";
import { openStream } from "../../helpers/engine.ts";
import { until } from "../../helpers/until.ts";

const EVENTS = 500;
const HOUR_MS = 3_600_000;
const headers = { "x-engine-key": KEY };

/** A turn of about so many events, a few a tick. */
const wordy = async function* () {
  yield { kind: "block_start", block: "text" } as const;
  for (let index = 0; index < EVENTS; index++) {
    yield { kind: "text", text: `wörd${index} ` } as const;
    if (index % 7 === 0) await new Promise(setImmediate);
  }
  yield { kind: "block_stop", block: "text" } as const;
  const usage = { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 };
  yield { kind: "done", reason: "stop", usage } as const;
};

interface Told {
  readonly event: string;
  readonly data: { readonly seq: number; readonly ts: string; readonly text?: string };
}

/** The whole frames in what came until the cut. */
function framesIn(bytes: Buffer): Told[] {
  const parts = bytes.toString("utf8").split("\n\n").slice(0, -1);
  return parts.map((part) => {
    const [, event = "", data = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
    return { event, data: JSON.parse(data) as Told["data"] };
  });
}

/** Events as they are, deltas put together: replay merges them. */
function story(events: readonly Told[]): string {
  let text = "";
  const others: unknown[] = [];
  for (const { event, data } of events) {
    if (event === "text_delta") text += data.text ?? "";
    else others.push([event, data.seq, text.length]);
  }
  return JSON.stringify([text, others]);
}

/** Posts a turn and cuts the connection behind so many bytes. */
function cutBehind(url: string, taskId: string, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const call = request(
      `${url}/execute`,
      { method: "POST", agent: false, headers: { ...headers, "content-type": "application/json" } },
      (response) => {
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (Buffer.concat(chunks).length >= limit) call.destroy();
        });
        response.on("error", () => undefined);
        response.on("close", () => resolve(Buffer.concat(chunks).subarray(0, limit)));
      },
    );
    call.on("error", reject);
    call.end(JSON.stringify({ task_id: taskId, message: "go" }));
  });
}

t.test("wherever in its bytes a stream is cut, what came and the replay are together what is stored", async (t) => {
  const offsets = Array.from({ length: 30 }, (_, n) => 1 + Math.floor((n * 71_993) % 80_000));
  const parts = engineParts(t, { provider: scriptedProvider(...offsets.map(() => wordy), wordy) });
  // On a busy machine the turns take longer than a reader may be behind, and heartbeats are not stored.
  const url = await servedParts(t, parts, { heartbeatMs: HOUR_MS, maxQueuedMs: HOUR_MS });
  const stored = (taskId: string) =>
    parts.journal
      .read({ taskId, limit: 10_000 })
      .map(({ type, data }): Told => ({ event: type, data: JSON.parse(data) as Told["data"] }));
  const rest = async (query: string): Promise<Told[]> => {
    const stream = await openStream(url, `/execute/replay?${query}`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    return [...(await stream.all())];
  };

  t.test("live, on sockets cut at offsets all over it", async (t) => {
    const turns = offsets.map(async (offset, index) => {
      const taskId = `cut-${index}`;
      const seen = framesIn(await cutBehind(url, taskId, offset));
      const after = seen.at(-1)?.data.seq ?? 0;
      const turn = seen.at(-1) === undefined ? "" : "&follow=true";
      const turnId = parts.journal.read({ taskId, limit: 1 })[0]?.turnId ?? "";
      const late = await rest(`turn_id=${turnId}&after=${after}${turn}`);
      await until("the turn is over", () => parts.slots.get(taskId) === undefined);
      const whole = turn === "" ? [...seen, ...(await rest(`task_id=${taskId}&after=${after}`))] : [...seen, ...late];
      if (story(whole) !== story(stored(taskId))) t.fail(`cut behind ${offset} bytes`);
    });
    await Promise.all(turns);
    t.ok(stored("cut-0").length > EVENTS);
  });

  t.test("behind every single byte of one stream, by number and by time", async (t) => {
    const bytes = await cutBehind(url, "whole", Infinity);
    const all = framesIn(bytes);
    const whole = story(stored("whole"));
    t.equal(story(all), whole);
    // What replay gives depends on the last whole frame alone, so each frame's end is asked for once.
    const replays = new Map<number, readonly Told[]>();
    for (const [index, { data }] of all.entries()) {
      const cursor = index % 2 === 0 ? String(data.seq) : data.ts;
      replays.set(data.seq, await rest(`task_id=whole&after=${cursor}`));
    }
    let frames = 0;
    for (let offset = 1; offset <= bytes.length; offset++) {
      if (bytes[offset - 1] === 10 && bytes[offset - 2] === 10) frames++;
      const last = all[frames - 1];
      if (last === undefined) continue;
      const union = [...all.slice(0, frames), ...(replays.get(last.data.seq) ?? [])];
      if (bytes[offset - 1] === 10 && story(union) !== whole) t.fail(`cut behind byte ${offset}`);
    }
    t.equal(frames, all.length);
    t.ok(bytes.length > 50_000, `${bytes.length} bytes`);
  });
});
