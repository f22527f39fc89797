import t from "tap";
import { adapterTo, outline, partsOf, requestTo } from "./adapter.ts";
import { type Frames, startUpstream, streams } from "./upstream.ts";
import { FRAMES, REMOTES, type Remote, converse } from "./wire-formats.ts";

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "any" };

/** Events that no client knows yet, each of which may come anywhere between others. */
const UNKNOWN: Readonly<Record<Remote, Frames>> = {
  anthropic: [
    data({ type: "weather_report", degrees: 20 }),
    [
      data({ type: "content_block_start", index: 90, content_block: { type: "song", notes: [] } }),
      data({ type: "content_block_delta", index: 90, delta: { type: "note_delta", note: "c" } }),
      data({ type: "content_block_delta", index: 90, delta: { type: "text_delta", text: "la la" } }),
      data({ type: "content_block_stop", index: 90 }),
    ].join(""),
  ],
  openai: [
    data({ type: "response.weather.report", degrees: 20, sequence_number: 90 }),
    data({ type: "response.output_item.added", output_index: 90, item: { type: "song", id: "s_1" } }),
    data({ type: "response.output_text.annotation.added", annotation: { type: "sung_by", who: "x" } }),
    data({ type: "response.output_item.done", output_index: 90, item: { type: "song", id: "s_1" } }),
  ],
  google: [
    data({ weather: { degrees: 20 } }),
    data({ candidates: [{ index: 0, content: { role: "model", parts: [{ song: { notes: [] } }] } }] }),
  ],
  bedrock: [
    converse(["weatherReport", { degrees: 20 }]),
    converse(["contentBlockDelta", { contentBlockIndex: 90, delta: { song: { note: "c" } } }]),
  ],
  "openai-compatible": [
    data({ type: "weather", degrees: 20 }),
    data({ ...chunk, choices: [{ index: 0, delta: { role: "singer", song: "la" }, finish_reason: null }] }),
  ],
};

for (const remote of REMOTES) {
  t.test(`events and blocks of ${remote} that nobody knows are ignored`, async (t) => {
    const known = FRAMES[remote];
    const plain = await partsOf(adapterTo(remote, (await startUpstream(t, streams(known))).url), requestTo(remote));
    for (const unknown of UNKNOWN[remote]) {
      for (const place of [1, Math.floor(known.length / 2), known.length - 1]) {
        const frames = [...known.slice(0, place), unknown, ...known.slice(place)];
        const upstream = await startUpstream(t, streams(frames));
        const parts = await partsOf(adapterTo(remote, upstream.url), requestTo(remote));
        t.strictSame(outline(parts), outline(plain), `${String(unknown).slice(0, 100)} at ${place}`);
      }
    }
    const all = [...known.slice(0, 1), ...UNKNOWN[remote], ...known.slice(1)];
    const upstream = await startUpstream(t, streams(all));
    t.strictSame(outline(await partsOf(adapterTo(remote, upstream.url), requestTo(remote))), outline(plain));
  });
}
