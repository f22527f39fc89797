import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { mkdir, readdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import PQueue from "p-queue";
import { KNOWLEDGE_FILE, KNOWLEDGE_FOLDER } from "../../../contract/engine/knowledge-file.ts";
import { type KnowledgeFound, knowledgeFound } from "../../../contract/engine/knowledge-result.ts";
import { sha256 } from "../../../contract/orchestrator/api-keys.ts";
import { knowledgeDigest } from "../../../contract/orchestrator/knowledge-digest.ts";
import {
  type CountedVectors,
  type EndpointReach,
  countedVectors,
  embeddedPassages,
} from "../../../contract/orchestrator/knowledge-order.ts";
import { type DocumentReading, documentReading } from "../../../contract/orchestrator/knowledge-passage.ts";
import { hasCode } from "../../../shared/error-code.ts";
import { exists, unlessMissing } from "../../../shared/files.ts";
import { removeFolder } from "../../../sandbox/folders.ts";
import type {
  CalledEndpoint,
  EmbedOptions,
  EmbedOutcome,
  FilesInUse,
  KnowledgeFile,
  KnowledgeStorage,
  SearchOptions,
  StoredDocuments,
} from "../knowledge-storage.ts";
import { removedFolder } from "./engine-folder.ts";
import { STAGE, newest, readVersions, writeVersion } from "./knowledge-version.ts";
import { type KnowledgeProgramSettings, runKnowledgeProgram } from "./knowledge-program.ts";

/** Concurrent processes, each of which may use a processor for seconds. */
const MAX_PROGRAMS = 2;
/** Of their own: they mostly wait for an endpoint, and no document waits for them. */
const MAX_EMBEDDINGS = 4;
/** An engine that starts may have been told of a version that was replaced meanwhile. */
const UNUSED_MS = 30_000;
/** A file is never made for so long. */
const STAGED_MS = 900_000;

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
  readonly #embeddings = new PQueue({ concurrency: MAX_EMBEDDINGS });
  readonly #making = new Map<string, Promise<KnowledgeFile | null>>();
  /** The last file that was asked for, by the product's folder. */
  readonly #known = new Map<string, KnowledgeFile & { readonly digest: string }>();

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
  async ensure(productId: string, digest: string, stored: StoredDocuments): Promise<KnowledgeFile | null> {
    const folder = this.#folder(productId);
    const known = this.known(productId, digest);
    if (known !== null && (await exists(this.fileOf(productId, known.name)))) {
      await touch(join(folder, known.name));
      return known;
    }
    const version = join(folder, digest);
    const making =
      this.#making.get(version) ?? this.#findOrMake(folder, digest, stored).finally(() => this.#making.delete(version));
    this.#making.set(version, making);
    const file = await making;
    if (file !== null) this.#known.set(folder, { digest, ...file });
    return file;
  }

  known(productId: string, digest: string): KnowledgeFile | null {
    const known = this.#known.get(this.#folder(productId));
    return known?.digest === digest ? known : null;
  }

  async find(productId: string, digest: string): Promise<KnowledgeFile | null> {
    const found = newest(await readVersions(this.#folder(productId)), digest);
    return found === undefined ? null : { name: found.name, ...found.vectors };
  }

  fileOf(productId: string, name: string): string {
    return join(this.#folder(productId), name, KNOWLEDGE_FILE);
  }

  async search(productId: string, name: string, { endpoint, ...asked }: SearchOptions): Promise<KnowledgeFound> {
    const reach = endpoint && reachOf(endpoint);
    const order = { kind: "search", file: this.fileOf(productId, name), ...asked, reach } as const;
    const input = Buffer.from(endpoint === null ? "" : JSON.stringify(endpoint));
    const answer = await this.#programs.add(() => runKnowledgeProgram(this.#options, order, input));
    if (answer.kind === "exceeded") throw new Error(`the search of knowledge failed: ${answer.reason}`);
    return knowledgeFound.parse(JSON.parse(answer.text));
  }

  async embed(productId: string, digest: string, { endpoint, forMs, isCurrent }: EmbedOptions): Promise<EmbedOutcome> {
    const folder = this.#folder(productId);
    const before = this.known(productId, digest);
    const version = (await readVersions(folder)).find(({ name }) => name === before?.name);
    if (before === null || version === undefined) throw new Error("the file of knowledge is not there");
    return this.#staged(folder, async (stage) => {
      const [base, target] = [this.fileOf(productId, before.name), join(stage, KNOWLEDGE_FILE)];
      const order = { kind: "embed", base, target, forMs, reach: reachOf(endpoint) } as const;
      const input = Buffer.from(JSON.stringify(endpoint));
      const answer = await this.#embeddings.add(() => runKnowledgeProgram(this.#options, order, input));
      if (answer.kind === "exceeded") throw new Error(`the vectors of knowledge could not be made: ${answer.reason}`);
      const { made, error, retry_after_ms: retryAfterMs, ...vectors } = embeddedPassages.parse(JSON.parse(answer.text));
      if (made > 0 && (await isCurrent())) {
        const { contents } = version;
        await writeVersion(stage, { digest, contents, vectors, made_at: Date.now() });
        const name = sha256(`${digest} ${randomUUID()}`);
        await rename(stage, join(folder, name));
        this.#known.set(folder, { digest, name, ...vectors });
      }
      return { made, error, retryAfterMs };
    });
  }

  async collect(productId: string, { digest, names }: FilesInUse, now: number): Promise<void> {
    const folder = this.#folder(productId);
    const current = newest(await readVersions(folder), digest)?.name;
    for (const name of (await unlessMissing(readdir(folder))) ?? []) {
      const place = join(folder, name);
      const age = now - ((await unlessMissing(stat(place)))?.mtimeMs ?? now);
      const isUsed = name === current || names.has(name);
      if (!isUsed && age > (name.startsWith(STAGE) ? STAGED_MS : UNUSED_MS)) await this.#remove(place);
    }
  }

  async #findOrMake(folder: string, digest: string, stored: StoredDocuments): Promise<KnowledgeFile | null> {
    const versions = await readVersions(folder);
    const found = newest(versions, digest);
    if (found !== undefined) {
      await touch(join(folder, found.name));
      return { name: found.name, ...found.vectors };
    }
    const contents = await stored.contents();
    if (knowledgeDigest(contents) !== digest) return null;
    makeReadable(folder);
    const before = newest(versions);
    const base = before && { file: join(folder, before.name, KNOWLEDGE_FILE), contents: before.contents };
    return this.#staged(folder, async (stage) => {
      const vectors = await this.#write(join(stage, KNOWLEDGE_FILE), { base, contents, stored });
      if (vectors === null) return null;
      await writeVersion(stage, { digest, contents: Object.fromEntries(contents), vectors, made_at: Date.now() });
      await rename(stage, join(folder, digest)).catch(async (error: unknown) => {
        // Another release's file of the version.
        if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
        for (const file of await readdir(stage)) await rename(join(stage, file), join(folder, digest, file));
      });
      return { name: digest, ...vectors };
    });
  }

  /** Nothing of a stage is left, unless it was renamed. */
  async #staged<T>(folder: string, work: (stage: string) => Promise<T>): Promise<T> {
    const stage = join(folder, `${STAGE}${randomUUID()}`);
    await mkdir(stage);
    chmodSync(stage, 0o755);
    try {
      return await work(stage);
    } finally {
      await this.#remove(stage);
    }
  }

  /** Null when a document was deleted meanwhile. */
  async #write(
    target: string,
    {
      base,
      contents,
      stored,
    }: {
      readonly base: { readonly file: string; readonly contents: Readonly<Record<string, string>> } | undefined;
      readonly contents: ReadonlyMap<string, string>;
      readonly stored: StoredDocuments;
    },
  ): Promise<CountedVectors | null> {
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
    return isComplete ? countedVectors.parse(JSON.parse(answer.text)) : null;
  }

  async #remove(place: string): Promise<void> {
    await removeFolder(place, { aside: removedFolder(this.#options.dataDir) });
  }

  #folder(productId: string): string {
    return join(this.#options.catalogFolder(productId), KNOWLEDGE_FOLDER);
  }
}

const reachOf = ({ url, extraCaCerts }: CalledEndpoint): EndpointReach => ({ port: portOf(url), extraCaCerts });

function portOf(address: string): number {
  const { port, protocol } = new URL(address);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
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
