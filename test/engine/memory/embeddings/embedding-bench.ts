import type { Test } from "tap";
import { Embeddings } from "../../../../src/engine/memory/embeddings/embeddings.ts";
import type { TextEmbedder } from "../../../../src/engine/memory/embeddings/text-embedder.ts";
import type { Store } from "../../../../src/engine/store/open-store.ts";
import { WriteLane } from "../../../../src/engine/memory/write-lane.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { remembering } from "../memory-bench.ts";

export const NOW = Date.parse("2026-11-21T09:00:00Z");
const NEVER_BY_ITSELF = 2_000_000_000;

/** What a text is about is a direction of its own: all that is about the sea lies together. */
export const meaning = (text: string, dimensions = 300): number[] => {
  const sea = /sea|harbour|sail|ocean|boat/i.test(text);
  return Array.from({ length: dimensions }, (_, at) =>
    sea ? (at % 7 === 0 ? 1 : -0.1) : ((text.charCodeAt(at % text.length) * (at + 3)) % 11) - 5,
  );
};

export interface Bench {
  readonly model?: string;
  readonly embed?: TextEmbedder["embed"];
}

/** The embeddings of a store, which work when they are told to. */
export function openEmbeddings(t: Test, store: Store, embedder: TextEmbedder): Embeddings {
  const parts = { store, lane: new WriteLane(store), embedder, logger: createLogger("test", "silent") };
  const embeddings = new Embeddings(parts, NEVER_BY_ITSELF);
  t.teardown(() => embeddings.close());
  return embeddings;
}

/** A memory of 40 rounds about numbers and one about a boat. */
export function embedding(t: Test) {
  const memory = remembering(t);
  const { store } = memory;
  const asked: (readonly string[])[] = [];
  const open = ({ model = "words-1", embed }: Bench = {}) => {
    const embedder: TextEmbedder = {
      model,
      embed(texts, signal) {
        asked.push(texts);
        return embed === undefined ? Promise.resolve(texts.map((text) => meaning(text))) : embed(texts, signal);
      },
    };
    return openEmbeddings(t, store, embedder);
  };
  const count = (table: "embedding_vectors" | "embedding_signs" | "embedding_queue") =>
    Number(store.db.prepare(`select count(*) as n from ${table}`).get()?.["n"]);
  for (let matter = 10; matter < 50; matter++)
    memory.tell("2026-05-01", `Something else about matter number ${matter * 37}.`);
  memory.tell("2026-06-01", "Our old sloop lies in the harbour at Vik.");
  return { ...memory, asked, open, count };
}

/** What the endpoint answers to texts that it refuses. */
export const refusal = (about: { readonly isOfTexts: boolean }): Error =>
  Object.assign(new Error("refused"), about, { retryAfterMs: null });
