import { copyFile, open } from "node:fs/promises";
import { buffer, json } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { dirname } from "node:path";
import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import {
  type CountedVectors,
  type EmbeddedPassages,
  type EndpointReach,
  type KnowledgeEndpoint,
  type KnowledgeOrder,
  knowledgeEndpoint,
} from "../../contract/orchestrator/knowledge-order.ts";
import type { DocumentReading } from "../../contract/orchestrator/knowledge-passage.ts";
import { ETC, type LandlockRules, PROGRAMS, restrictSelf, setResourceLimit } from "../../sandbox/rights.ts";
import { nativeProblem } from "../../sandbox/sockets.ts";
import { createLogger } from "../../shared/logger.ts";
import { KnowledgeSearch, NEAREST } from "../knowledge/search-passages.ts";
import { vectorSearch } from "../memory/embeddings/embed-query.ts";
import type { TextEmbedder } from "../memory/embeddings/text-embedder.ts";
import { createEmbedder } from "../model/embedder.ts";
import { NO_METER } from "../model/metered-provider.ts";
import { type IndexedDocument, KnowledgeIndex } from "./build-index.ts";
import { embedPassages } from "./embed-passages.ts";
import { readDocument } from "./read-document.ts";
import { UnreadableDocument } from "./unreadable-document.ts";

/** Memory that the program may write to, in and outside of V8's heap. A document may unpack to any size. */
const DATA_BYTES = 1024 * 1024 * 1024;

type OrderOf<Kind extends KnowledgeOrder["kind"]> = Extract<KnowledgeOrder, { readonly kind: Kind }>;

/**
 * The program that reads documents of a product's knowledge for the daemon, writes them into the file that engines search
 * with their vectors, and searches it. The order is its argument.
 */
async function run(order: KnowledgeOrder): Promise<void> {
  process.umask(0o022);
  limit(order);
  switch (order.kind) {
    case "read":
      process.stdout.write(JSON.stringify(await read(order)));
      break;
    case "build":
      process.stdout.write(JSON.stringify(await build(order)));
      break;
    case "embed":
      process.stdout.write(JSON.stringify(await embed(order)));
      break;
    case "search":
      process.stdout.write(JSON.stringify(await search(order)));
      break;
    default:
      order satisfies never;
  }
}

/** Before the thread pool starts, whose threads inherit it. */
function limit(order: KnowledgeOrder): void {
  if (nativeProblem() === null) {
    setResourceLimit("core", 0, 0);
    setResourceLimit("data", DATA_BYTES, DATA_BYTES);
  }
  if (!order.confine) return;
  const none = { bind: [], connect: [] };
  switch (order.kind) {
    case "read":
      return restrictSelf({ read: [], write: [], ...none });
    case "build":
      return restrictSelf({ read: order.base === null ? [] : [order.base], write: [dirname(order.target)], ...none });
    case "embed":
      return restrictSelf({ ...rulesFor(order.reach, order.base), write: [dirname(order.target)] });
    case "search":
      return restrictSelf(rulesFor(order.reach, order.file));
  }
  return order satisfies never;
}

/** With an endpoint: what a connection to it needs. */
function rulesFor(reach: EndpointReach | null, file: string): LandlockRules {
  if (reach === null) return { read: [file], write: [], bind: [], connect: [] };
  const { port, extraCaCerts } = reach;
  const certificates = extraCaCerts === null ? [] : [extraCaCerts];
  return { read: [file, ...PROGRAMS, ...ETC, ...certificates], write: [], bind: [], connect: [port] };
}

async function read({ type, path }: OrderOf<"read">): Promise<DocumentReading> {
  try {
    return await readDocument(new Uint8Array(await buffer(process.stdin)), { type, path });
  } catch (error) {
    if (error instanceof UnreadableDocument) return { problem: error.message };
    throw error;
  }
}

async function build({ base, target }: OrderOf<"build">): Promise<CountedVectors> {
  if (base !== null) await copyFile(base, target);
  let counted: CountedVectors;
  {
    using index = new KnowledgeIndex(target, { isNew: base === null });
    let isFirst = true;
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (isFirst) index.keep(new Set(JSON.parse(line) as readonly string[]));
      else index.add(JSON.parse(line) as IndexedDocument);
      isFirst = false;
    }
    counted = index.finish();
  }
  await publish(target);
  return counted;
}

async function embed({ base, target, forMs, reach }: OrderOf<"embed">): Promise<EmbeddedPassages> {
  const embedder = embedderOf(knowledgeEndpoint.parse(await json(process.stdin)), reach);
  await copyFile(base, target);
  const embedded = await embedPassages(target, { embedder, stopped: AbortSignal.timeout(forMs) });
  await publish(target);
  return embedded;
}

/** For engines that run as other users. */
async function publish(target: string): Promise<void> {
  await using file = await open(target, "r+");
  await file.chmod(0o644);
  await file.sync();
}

async function search({ file, query, limit: most, reach }: OrderOf<"search">): Promise<KnowledgeFound> {
  using found = new KnowledgeSearch(file);
  if (reach === null) return found.search(query, most);
  const embedder = embedderOf(knowledgeEndpoint.parse(await json(process.stdin)), reach);
  const nearest = vectorSearch({
    embedder,
    nearest: () => found.nearestOf(embedder.model),
    stopping: new AbortController().signal,
    logger: createLogger("knowledge", "silent"),
  });
  return found.search(query, most, await nearest(query, NEAREST));
}

const embedderOf = (endpoint: KnowledgeEndpoint, { extraCaCerts }: EndpointReach): TextEmbedder =>
  createEmbedder({ ...endpoint, apiKey: endpoint.apiKey }, { meter: NO_METER, extraCaCerts });

run(JSON.parse(process.argv[2] ?? "") as KnowledgeOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
