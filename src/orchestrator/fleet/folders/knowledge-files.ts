import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { mkdir, readdir, rename, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import PQueue from "p-queue";
import * as z from "zod/mini";
import { KNOWLEDGE_FILE, KNOWLEDGE_FOLDER } from "../../../contract/engine/knowledge-file.ts";
import { type KnowledgeFound, knowledgeFound } from "../../../contract/engine/knowledge-result.ts";
import { knowledgeDigest } from "../../../contract/orchestrator/knowledge-digest.ts";
import { type DocumentReading, documentReading } from "../../../contract/orchestrator/knowledge-passage.ts";
import { hasCode } from "../../../shared/error-code.ts";
import { exists, readIfThere, unlessMissing } from "../../../shared/files.ts";
import { removeFolder } from "../../../sandbox/folders.ts";
import type { KnowledgeStorage, SearchOptions, StoredDocuments } from "../knowledge-storage.ts";
import { removedFolder } from "./engine-folder.ts";
import { type KnowledgeProgramSettings, runKnowledgeProgram } from "./knowledge-program.ts";

/** Concurrent processes, each of which may use a processor for seconds. */
const MAX_PROGRAMS = 2;
/** In the folder of a version: the digest of each document's content, by path. */
const DOCUMENTS = "documents.json";
const STAGE = ".new-";
/** An engine that starts may have been told of a version that was replaced meanwhile. */
const UNUSED_MS = 30_000;
/** A file is never made for so long. */
const STAGED_MS = 600_000;

const contentsFile = z.record(z.string(), z.string());

interface KnowledgeFilesOptions extends KnowledgeProgramSettings {
  readonly dataDir: string;
  /** The folder of a product's catalog, which its engines may read. */
  readonly catalogFolder: (productId: string) => string;
}

/**
 * The files of products' knowledge on this host. One is made from the version before it and the documents that differ, and
 * appears as a whole.
 */
export class KnowledgeFiles implements KnowledgeStorage {
  readonly #options: KnowledgeFilesOptions;
  readonly #programs = new PQueue({ concurrency: MAX_PROGRAMS });
  readonly #making = new Map<string, Promise<boolean>>();

  constructor(options: KnowledgeFilesOptions) {
    this.#options = options;
  }

  async read(bytes: Uint8Array, document: Parameters<KnowledgeStorage["read"]>[1]): Promise<DocumentReading> {
    const answer = await this.#programs.add(() =>
      runKnowledgeProgram(this.#options, { kind: "read", ...document }, bytes),
    );
    if (answer.kind === "exceeded") return { problem: answer.reason };
    return documentReading.parse(JSON.parse(answer.text));
  }

  /** Concurrent calls for one version share the work. */
  async ensure(productId: string, digest: string, stored: StoredDocuments): Promise<boolean> {
    const file = this.fileOf(productId, digest);
    if (!this.#making.has(file) && (await exists(file))) {
      await touch(dirname(file));
      return true;
    }
    const making =
      this.#making.get(file) ?? this.#make({ productId, digest, stored }).finally(() => this.#making.delete(file));
    this.#making.set(file, making);
    return making;
  }

  fileOf(productId: string, digest: string): string {
    return join(this.#folder(productId), digest, KNOWLEDGE_FILE);
  }

  async search(productId: string, digest: string, options: SearchOptions): Promise<KnowledgeFound> {
    const order = { kind: "search", file: this.fileOf(productId, digest), ...options } as const;
    const answer = await this.#programs.add(() => runKnowledgeProgram(this.#options, order, new Uint8Array()));
    if (answer.kind === "exceeded") throw new Error(`the search of knowledge failed: ${answer.reason}`);
    return knowledgeFound.parse(JSON.parse(answer.text));
  }

  async collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void> {
    for (const [productId, digests] of inUse) {
      const folder = this.#folder(productId);
      for (const name of (await unlessMissing(readdir(folder))) ?? []) {
        const place = join(folder, name);
        const age = now - ((await unlessMissing(stat(place)))?.mtimeMs ?? now);
        if (!digests.has(name) && age > (name.startsWith(STAGE) ? STAGED_MS : UNUSED_MS)) await this.#remove(place);
      }
    }
  }

  async #make({
    productId,
    digest,
    stored,
  }: {
    readonly productId: string;
    readonly digest: string;
    readonly stored: StoredDocuments;
  }): Promise<boolean> {
    const contents = await stored.contents();
    if (knowledgeDigest(contents) !== digest) return false;
    const folder = this.#folder(productId);
    makeReadable(folder);
    const stage = join(folder, `${STAGE}${randomUUID()}`);
    await mkdir(stage);
    chmodSync(stage, 0o755);
    try {
      const base = await this.#newest(folder);
      const isComplete = await this.#write(join(stage, KNOWLEDGE_FILE), { base, contents, stored });
      if (!isComplete) return false;
      await writeFile(join(stage, DOCUMENTS), JSON.stringify(Object.fromEntries(contents)), { mode: 0o600 });
      await rename(stage, join(folder, digest)).catch((error: unknown) => {
        // Another release's file of the version.
        if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
        return rename(join(stage, KNOWLEDGE_FILE), join(folder, digest, KNOWLEDGE_FILE));
      });
      return true;
    } finally {
      await this.#remove(stage);
    }
  }

  /** False when a document was deleted meanwhile. */
  async #write(
    target: string,
    {
      base,
      contents,
      stored,
    }: {
      readonly base: { readonly file: string; readonly contents: Readonly<Record<string, string>> } | null;
      readonly contents: ReadonlyMap<string, string>;
      readonly stored: StoredDocuments;
    },
  ): Promise<boolean> {
    const kept = [...contents].filter(([path, digest]) => base?.contents[path] === digest).map(([path]) => path);
    const unchanged = new Set(kept);
    let isComplete = true;
    async function* lines(): AsyncGenerator<string> {
      yield `${JSON.stringify(kept)}\n`;
      for (const path of contents.keys()) {
        if (unchanged.has(path)) continue;
        const document = await stored.document(path);
        if (document === null) isComplete = false;
        else yield `${JSON.stringify({ path, ...document })}\n`;
      }
    }
    const file = kept.length === 0 ? null : (base?.file ?? null);
    const answer = await this.#programs.add(() =>
      runKnowledgeProgram(this.#options, { kind: "build", base: file, target }, lines()),
    );
    if (answer.kind === "exceeded") throw new Error(`the file of knowledge could not be made: ${answer.reason}`);
    return isComplete;
  }

  /** The version that was used last, from which the next one is made. */
  async #newest(folder: string) {
    let newest: { readonly place: string; readonly usedAt: number } | null = null;
    for (const name of await readdir(folder)) {
      if (name.startsWith(STAGE) || !(await exists(join(folder, name, KNOWLEDGE_FILE)))) continue;
      const place = join(folder, name);
      const usedAt = (await stat(place)).mtimeMs;
      if (newest === null || usedAt > newest.usedAt) newest = { place, usedAt };
    }
    if (newest === null) return null;
    const text = await readIfThere(join(newest.place, DOCUMENTS));
    if (text === null) return null;
    return { file: join(newest.place, KNOWLEDGE_FILE), contents: contentsFile.parse(JSON.parse(text)) };
  }

  async #remove(place: string): Promise<void> {
    await removeFolder(place, { aside: removedFolder(this.#options.dataDir) });
  }

  #folder(productId: string): string {
    return join(this.#options.catalogFolder(productId), KNOWLEDGE_FOLDER);
  }
}

/** For engines that run as other users, whatever the umask is. */
function makeReadable(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
}

/** The modification time of a folder is the time of its last use. */
async function touch(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}
