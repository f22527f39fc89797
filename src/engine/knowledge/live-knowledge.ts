import { createWriteStream } from "node:fs";
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { KNOWLEDGE_FILE } from "../../contract/engine/knowledge-file.ts";
import type { KnowledgeVersion } from "../../contract/engine/launch.ts";
import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import { hasCode } from "../../shared/error-code.ts";
import { unlessMissing } from "../../shared/files.ts";
import type { Logger } from "../../shared/logger.ts";
import { vectorSearch } from "../memory/embeddings/embed-query.ts";
import type { TextEmbedder } from "../memory/embeddings/text-embedder.ts";
import { NOTHING_NEAR, type VectorSearch } from "../memory/search/nearness.ts";
import type { ToolSource } from "../tools/registry.ts";
import { type Tool, ToolFailed } from "../tools/tool.ts";
import { searchKnowledge } from "./search-knowledge-tool.ts";
import { KnowledgeSearch, NEAREST } from "./search-passages.ts";

/** An engine that does not search holds no file open. */
const IDLE_MS = 30_000;
const NO_TOOLS: readonly Tool[] = [];

interface KnowledgeParts {
  /** The folder of the host with the versions of the product, which its engines share. Null where they cannot. */
  readonly sharedFolder: string | null;
  /** The engine's own folder, for a version that the daemon sends. */
  readonly ownFolder: string;
  /** Null without an embeddings endpoint. */
  readonly embedder: TextEmbedder | null;
  readonly logger: Logger;
}

/** The version of the product's knowledge that this engine searches. Its tool exists only with documents. */
export class LiveKnowledge implements ToolSource {
  readonly #parts: KnowledgeParts;
  readonly #withTool: readonly Tool[] = [searchKnowledge((...asked) => this.#search(...asked))];
  readonly #nearest: VectorSearch | null;
  readonly #stop = new AbortController();
  #file: string | null = null;
  #open: KnowledgeSearch | null = null;
  #closing: NodeJS.Timeout | undefined;

  constructor(parts: KnowledgeParts) {
    this.#parts = parts;
    const { embedder } = parts;
    const nearest = () => this.#open?.nearestOf(embedder?.model ?? "") ?? null;
    this.#nearest = embedder && vectorSearch({ ...parts, embedder, nearest, stopping: this.#stop.signal });
  }

  tools(): readonly Tool[] {
    return this.#file === null ? NO_TOOLS : this.#withTool;
  }

  /** Uses a version from now on. False when its file is missing: nothing is searched until the daemon has sent it. */
  async use({ digest }: Pick<KnowledgeVersion, "digest">): Promise<boolean> {
    const file = digest === null ? null : await this.#find(digest);
    if (file !== this.#file) this.#close();
    this.#file = file;
    if (digest === null) await this.#removeOthers(null);
    return digest === null || file !== null;
  }

  /** Stores the file of a version in the engine's own folder, and removes those of others. */
  async receive(digest: string, content: Readable): Promise<void> {
    const { ownFolder } = this.#parts;
    await mkdir(ownFolder, { recursive: true, mode: 0o700 });
    const arriving = join(ownFolder, "arriving");
    await pipeline(content, createWriteStream(arriving, { mode: 0o600 }));
    await rename(arriving, this.#own(digest));
    await this.#removeOthers(digest);
  }

  close(): void {
    this.#stop.abort();
    this.#close();
  }

  async #search(query: string, limit: number, signal: AbortSignal): Promise<KnowledgeFound> {
    try {
      const searched = this.#opened();
      const near = (await this.#nearest?.(query, NEAREST, signal)) ?? NOTHING_NEAR;
      signal.throwIfAborted();
      // Another version's rows are other passages.
      const open = this.#opened();
      return open.search(query, limit, open === searched ? near : NOTHING_NEAR);
    } catch (error) {
      if (signal.aborted || error instanceof ToolFailed) throw error;
      this.#close();
      this.#parts.logger.error({ err: error }, "failed to search the product's knowledge");
      throw new ToolFailed("the product's documents cannot be searched now");
    }
  }

  /** Stays open for a while. */
  #opened(): KnowledgeSearch {
    if (this.#file === null) throw new ToolFailed("the product has no documents any more");
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => this.#close(), IDLE_MS).unref();
    return (this.#open ??= new KnowledgeSearch(this.#file));
  }

  #close(): void {
    clearTimeout(this.#closing);
    this.#open?.[Symbol.dispose]();
    this.#open = null;
  }

  async #find(digest: string): Promise<string | null> {
    const { sharedFolder } = this.#parts;
    const shared = sharedFolder === null ? [] : [join(sharedFolder, digest, KNOWLEDGE_FILE)];
    for (const file of [...shared, this.#own(digest)]) if (await isThere(file)) return file;
    return null;
  }

  async #removeOthers(digest: string | null): Promise<void> {
    const { ownFolder } = this.#parts;
    for (const name of (await unlessMissing(readdir(ownFolder))) ?? [])
      if (digest === null || join(ownFolder, name) !== this.#own(digest))
        await rm(join(ownFolder, name), { force: true });
  }

  #own(digest: string): string {
    return join(this.#parts.ownFolder, `${digest}-${KNOWLEDGE_FILE}`);
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return false;
    throw error;
  }
}
