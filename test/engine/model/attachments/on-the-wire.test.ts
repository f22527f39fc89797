import type { ServerResponse } from "node:http";
import t from "tap";
import type { AttachmentRecord } from "../../../../src/contract/engine/attachment.ts";
import { checkFile } from "../../../../src/engine/attachments/check-file.ts";
import { loadingProvider } from "../../../../src/engine/model/attachments/load-attachments.ts";
import { createShowAttachments } from "../../../../src/engine/model/attachments/show-attachments.ts";
import type { ModelMessage } from "../../../../src/engine/model/model-provider.ts";
import { plainRetryProvider } from "../../../../src/engine/model/plain-retry.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { base64, gif, pdf, png, wav } from "../../../helpers/sample-files.ts";
import { adapterTo, outline, partsOf, requestTo } from "../adapter.ts";
import { startUpstream, streams } from "../upstream.ts";
import { FRAMES, REMOTES, type Remote } from "../wire-formats.ts";

const photo = png(20, 10);
const chart = png(7, 7);
const report = pdf();
const files = new Map<string, Buffer>();

function record(name: string, bytes: Buffer): AttachmentRecord {
  const verdict = checkFile({ bytes, name });
  if (verdict.kind !== "fits") throw new Error(verdict.problem);
  const path = `files/${name}`;
  files.set(path, bytes);
  return { ...verdict.file, path };
}
const attachment = (name: string, bytes: Buffer) => ({ kind: "attachment", file: record(name, bytes) }) as const;

const conversation: readonly ModelMessage[] = [
  {
    role: "user",
    text: "Compare these.",
    parts: [
      { kind: "text", text: "Compare these." },
      attachment("photo.png", photo),
      attachment("report.pdf", report),
      attachment("notes.txt", Buffer.from("some notes")),
      attachment("archive.zip", Buffer.from("PK\x03\x04\0\xff", "latin1")),
      { kind: "attachment", file: { ...record("gone.png", png(3, 3)), path: "files/nowhere.png" } },
    ],
  },
  { role: "assistant", content: [{ kind: "tool_use", id: "call_1", tool: "read_file", input: { path: "chart.png" } }] },
  {
    role: "tool",
    results: [
      {
        id: "call_1",
        tool: "read_file",
        output: "[image chart.png]",
        isError: false,
        attachments: [record("chart.png", chart)],
      },
    ],
  },
];

/** What a provider receives of the conversation. */
async function sent(t: Parameters<typeof startUpstream>[0], remote: Remote, model?: string) {
  const upstream = await startUpstream(t, streams(FRAMES[remote]));
  const show = createShowAttachments({ provider: remote, override: null, windowOf: () => 200_000 });
  const provider = loadingProvider(adapterTo(remote, upstream.url), ({ path }) => {
    const bytes = files.get(path);
    return bytes === undefined ? Promise.reject(new Error("it is not there")) : Promise.resolve(bytes);
  });
  const request = requestTo(remote, { thinking: false, ...(model !== undefined && { model }) });
  const parts = await partsOf(provider, { ...request, messages: show(conversation, request.model) });
  const [{ body, text } = { body: null, text: "" }] = upstream.received;
  return { body, text, ended: outline(parts).at(-1) ?? "" };
}

t.test("Anthropic: images and documents in the message and in the tool's result", async (t) => {
  const { body, text, ended } = await sent(t, "anthropic");
  t.match(ended, /^done/);
  const [asked, , result] = body.messages;
  t.match(asked.content, [
    { type: "text", text: "Compare these." },
    { type: "text", text: /^\[attached image photo\.png, image\/png, 20 x 10 pixels, .* at files\/photo\.png\]$/ },
    { type: "image", source: { type: "base64", media_type: "image/png", data: base64(photo) } },
    { type: "text", text: /^\[attached PDF report\.pdf/ },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64(report) } },
    { type: "text", text: /some notes/ },
    { type: "text", text: /^\[a file was attached; models cannot read files of this type: file archive\.zip/ },
    { type: "text", text: /^\[an image was attached; it can no longer be read: it is not there: image gone\.png/ },
  ]);
  t.match(result.content[0], {
    type: "tool_result",
    tool_use_id: "call_1",
    content: [
      { type: "text", text: /chart\.png/ },
      { type: "image", source: { media_type: "image/png", data: base64(chart) } },
    ],
  });
  t.equal(text.split(base64(photo)).length, 2, "the bytes are sent once");
});

t.test("OpenAI: the same in the Responses format", async (t) => {
  const { body, ended } = await sent(t, "openai");
  t.match(ended, /^done/);
  const asked = body.input.find(({ role }: { role?: string }) => role === "user");
  const kinds = asked.content.map(({ type }: { type: string }) => type);
  t.same(
    kinds.filter((kind: string) => kind !== "input_text"),
    ["input_image", "input_file"],
  );
  t.match(asked.content[2], { image_url: `data:image/png;base64,${base64(photo)}` });
  t.match(asked.content[4], { file_data: `data:application/pdf;base64,${base64(report)}` });
  const result = body.input.find(({ type }: { type: string }) => type === "function_call_output");
  t.match(result.output, [
    { type: "input_text", text: /chart\.png/ },
    { type: "input_image", image_url: `data:image/png;base64,${base64(chart)}` },
  ]);
});

t.test("Chat Completions: a tool's image follows its result in a message of the user", async (t) => {
  const { body, ended } = await sent(t, "openai-compatible", "llava-1.6");
  t.match(ended, /^done/);
  const [, asked, , result, after] = body.messages;
  t.match(asked.content[2], { type: "image_url", image_url: { url: `data:image/png;base64,${base64(photo)}` } });
  t.match(asked.content[3].text, /^\[a PDF was attached; this model cannot read PDF documents: PDF report\.pdf/);
  t.match(result, { role: "tool", content: /chart\.png/ });
  t.match(after, {
    role: "user",
    content: [
      { type: "text", text: "[of the result of the tool read_file:]" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64(chart)}` } },
    ],
  });
  const blind = await sent(t, "openai-compatible", "some-text-model");
  t.match(blind.text, /an image was attached; this model cannot read images: image photo\.png, image\/png/);
  t.notMatch(blind.text, /image_url/);
});

t.test("every provider takes the conversation", async (t) => {
  for (const remote of REMOTES) t.match((await sent(t, remote)).ended, /^done/, remote);
});

t.test("Google gets audio, and a note for a GIF", async (t) => {
  const upstream = await startUpstream(t, streams(FRAMES.google));
  const show = createShowAttachments({ provider: "google", override: null, windowOf: () => 200_000 });
  const provider = loadingProvider(
    adapterTo("google", upstream.url),
    async ({ path }) => files.get(path) ?? Buffer.alloc(0),
  );
  const parts = [attachment("talk.wav", wav()), attachment("moves.gif", gif(9, 9))];
  const request = requestTo("google", { messages: show([{ role: "user", text: "", parts }], "gemini-2.5-pro") });
  await partsOf(provider, request);
  t.match(upstream.received[0]?.body.contents[0].parts, [
    { text: /^\[attached audio talk\.wav/ },
    { inlineData: { mimeType: "audio/wav", data: base64(wav()) } },
    { text: /this model cannot read image\/gif/ },
  ]);
});

t.test("a request that the provider refuses is sent once more without its attachments", async (t) => {
  const refusal = (response: ServerResponse) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "Could not process image" } }),
    );
  };
  const upstream = await startUpstream(t, refusal, streams(FRAMES.anthropic));
  const show = createShowAttachments({ provider: "anthropic", override: null, windowOf: () => 200_000 });
  const loading = loadingProvider(adapterTo("anthropic", upstream.url), async () => photo);
  const provider = plainRetryProvider(loading, createLogger("test", "silent"));
  const messages = show([{ role: "user", text: "look", parts: [attachment("photo.png", photo)] }], "claude-sonnet-4-5");
  t.match(outline(await partsOf(provider, requestTo("anthropic", { messages, thinking: false }))).at(-1), /^done/);
  const [first, second] = upstream.received;
  t.match(first?.text, base64(photo));
  t.match(second?.text, /an image was attached; left out because the model's provider refused it/);
  t.notMatch(second?.text, base64(photo));
});
