import { copyFile, open } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { dirname } from "node:path";
import type { KnowledgeOrder } from "../../contract/orchestrator/knowledge-order.ts";
import type { DocumentReading } from "../../contract/orchestrator/knowledge-passage.ts";
import { restrictSelf, setResourceLimit } from "../../sandbox/rights.ts";
import { nativeProblem } from "../../sandbox/sockets.ts";
import { KnowledgeSearch } from "../knowledge/search-passages.ts";
import { type IndexedDocument, KnowledgeIndex } from "./build-index.ts";
import { readDocument } from "./read-document.ts";
import { UnreadableDocument } from "./unreadable-document.ts";

/** Memory that the program may write to, in and outside of V8's heap. A document may unpack to any size. */
const DATA_BYTES = 1024 * 1024 * 1024;

type OrderOf<Kind extends KnowledgeOrder["kind"]> = Extract<KnowledgeOrder, { readonly kind: Kind }>;

/**
 * The program that reads documents of a product's knowledge for the daemon, writes them into the file that engines search,
 * and searches it. The order is its argument.
 */
async function run(order: KnowledgeOrder): Promise<void> {
  process.umask(0o022);
  limit(order);
  switch (order.kind) {
    case "read":
      process.stdout.write(JSON.stringify(await read(order)));
      break;
    case "build":
      await build(order);
      break;
    case "search":
      process.stdout.write(JSON.stringify(search(order)));
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
    case "search":
      return restrictSelf({ read: [order.file], write: [], ...none });
  }
  return order satisfies never;
}

async function read({ type, path }: OrderOf<"read">): Promise<DocumentReading> {
  try {
    return await readDocument(new Uint8Array(await buffer(process.stdin)), { type, path });
  } catch (error) {
    if (error instanceof UnreadableDocument) return { problem: error.message };
    throw error;
  }
}

async function build({ base, target }: OrderOf<"build">): Promise<void> {
  if (base !== null) await copyFile(base, target);
  {
    using index = new KnowledgeIndex(target, { isNew: base === null });
    let isFirst = true;
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (isFirst) index.keep(new Set(JSON.parse(line) as readonly string[]));
      else index.add(JSON.parse(line) as IndexedDocument);
      isFirst = false;
    }
    index.finish();
  }
  await using file = await open(target, "r+");
  await file.chmod(0o644);
  await file.sync();
}

function search({ file, query, limit: most }: OrderOf<"search">) {
  using found = new KnowledgeSearch(file);
  return found.search(query, most);
}

run(JSON.parse(process.argv[2] ?? "") as KnowledgeOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
