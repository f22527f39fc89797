import t from "tap";
import type { AttachmentRecord } from "../../../../src/contract/engine/attachment.ts";
import { readableFiles } from "../../../../src/engine/model/attachments/readable-files.ts";
import { createShowAttachments } from "../../../../src/engine/model/attachments/show-attachments.ts";
import { requestTokens } from "../../../../src/engine/model/context-window.ts";
import type { ModelMessage } from "../../../../src/engine/model/model-provider.ts";

const record = (name: string, more: Partial<AttachmentRecord> = {}): AttachmentRecord => ({
  kind: "image",
  name,
  media_type: "image/png",
  bytes: 1000,
  digest: "0".repeat(64),
  path: name,
  width: 100,
  height: 100,
  ...more,
});
const message = (...files: readonly AttachmentRecord[]): ModelMessage => ({
  role: "user",
  text: "",
  parts: files.map((file) => ({ kind: "attachment", file })),
});
const show = (window = 200_000) =>
  createShowAttachments({ provider: "anthropic", override: null, windowOf: () => window });
const shownIn = (messages: readonly ModelMessage[]) =>
  messages.flatMap((one) =>
    one.role === "user"
      ? (one.parts ?? []).flatMap((part) => (part.kind === "attachment" ? [part.file.name] : []))
      : [],
  );
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}.png`);

t.test("a conversation shows its newest files; the prefix changes only when the limit is exceeded", async (t) => {
  const messages = names(0, 45).map((name) => message(record(name)));
  const shown = (count: number) => shownIn(show()(messages.slice(0, count), "claude-sonnet-4-5"));
  t.same(shown(20), names(0, 20));
  t.same(shown(21), names(11, 21), "half of them are dropped at once");
  t.same(shown(30), names(11, 30));
  t.same(shown(31), names(11, 31));
  t.same(shown(32), names(22, 32));
  const [first] = show()(messages, "claude-sonnet-4-5");
  t.match(first, {
    parts: [{ kind: "text", text: /^\[an image was attached; the conversation has newer attachments/ }],
  });
});

t.test("one message may exceed the limits alone; bytes, documents and tokens are limited too", async (t) => {
  const many = show()([message(...names(0, 25).map((name) => record(name)))], "claude-sonnet-4-5");
  t.same(shownIn(many), names(5, 25));
  const large = names(0, 9).map((name) => message(record(name, { bytes: 3_500_000 })));
  t.same(shownIn(show()(large, "claude-sonnet-4-5")), names(4, 9));
  const pdfs = Array.from({ length: 7 }, (_, n) => record(`${n}.pdf`, { kind: "pdf", media_type: "application/pdf" }));
  t.equal(
    shownIn(
      show()(
        pdfs.map((file) => message(file)),
        "claude-sonnet-4-5",
      ),
    ).length,
    3,
  );
  const book = record("book.pdf", { kind: "pdf", media_type: "application/pdf", bytes: 15_000_000 });
  const [alone] = show()([message(book)], "claude-sonnet-4-5");
  t.match(alone, {
    parts: [{ text: /a PDF was attached; it is larger than this model can read at once: PDF book\.pdf/ }],
  });
});

t.test("an image that is too large for the model becomes a note", async (t) => {
  const noteOf = (more: Partial<AttachmentRecord>) => {
    const [shown] = show()([message(record("x.png", more))], "claude-sonnet-4-5");
    return shown?.role === "user" && shown.parts?.[0]?.kind === "text" ? shown.parts[0].text : "";
  };
  t.match(noteOf({ bytes: 5_000_000 }), /this model reads images of at most 3\.9 MB/);
  t.match(noteOf({ width: 9000 }), /this model reads images of at most 8000 pixels a side/);
  t.equal(noteOf({}), "");
});

t.test("each model is shown the kinds that it reads, or that the operator names", async (t) => {
  const reads = (...[provider, model, override = null]: Partial<Parameters<typeof readableFiles>>) =>
    [...readableFiles(provider ?? "sandbox", model ?? "", override).reads].join();
  t.equal(reads("anthropic", "claude-sonnet-5-5"), "image,pdf");
  t.equal(reads("anthropic", "claude-3-haiku-20240307"), "image");
  t.equal(reads("openai", "gpt-6.1-sol"), "image,pdf");
  t.equal(reads("openai", "gpt-4"), "");
  t.equal(reads("openai", "gpt-4-turbo"), "image,pdf");
  t.equal(reads("openai", "gpt-4o"), "image,pdf");
  t.equal(reads("openai", "o3-mini"), "");
  t.equal(reads("google", "gemini-3.8-flash"), "image,pdf,audio");
  t.equal(reads("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"), "image,pdf");
  t.equal(reads("bedrock", "amazon.nova-micro-v1:0"), "");
  t.equal(reads("openai-compatible", "llama3.3"), "");
  t.equal(reads("openai-compatible", "qwen2.5-vl:7b"), "image");
  t.equal(reads("openai-compatible", "qwen3vl"), "image");
  t.equal(reads("openai-compatible", "any", ["image", "audio"]), "image,audio");
  t.equal(
    reads("openai", "any", ["image", "audio"]),
    "image",
    "audio is not sent, because the protocol cannot carry it",
  );
  t.equal(reads("anthropic", "claude-sonnet-5-5", []), "");
});

t.test("the size of a request counts its attachments, by provider", async (t) => {
  const photo = record("photo.jpg", { width: 4000, height: 3000 });
  const tokens = (provider: "anthropic" | "openai" | "google") => readableFiles(provider, "any", null).tokens(photo);
  t.equal(tokens("anthropic"), 1600);
  t.equal(tokens("openai"), 85 + 170 * 4);
  t.equal(tokens("google"), 258 * 16);
  const messages = show()([message(photo)], "claude-sonnet-4-5");
  const request = { model: "x", system: "", messages, tools: [], thinking: false, maxOutputTokens: 1 };
  t.ok(requestTokens(request) > 1600);
});

t.test(
  "a model of another provider is shown what that model reads; the override is for the engine's provider",
  async (t) => {
    const shown = createShowAttachments({ provider: "anthropic", override: ["pdf"], windowOf: () => 200_000 });
    const messages = [message(record("a.png"))];
    t.same(shownIn(shown(messages, "claude-sonnet-5-5")), []);
    t.same(shownIn(shown(messages, "openai:gpt-6")), ["a.png"]);
    t.same(shownIn(shown(messages, "openai-compatible:llama3.3")), []);
  },
);
