import type { FileHandle } from "node:fs/promises";
import type { Artifact, ArtifactList } from "../../contract/engine/file.ts";
import { newId } from "../../shared/ids.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { ContentStore } from "../checkpoints/content-store.ts";
import { EngineError } from "../engine-error.ts";
import type { ArtifactTable } from "../store/artifact-table.ts";
import type { FileChangeTable } from "../store/file-changes.ts";
import type { Store } from "../store/open-store.ts";
import { type PublishedFile, type Publisher } from "../tools/publish-file.ts";
import { ToolFailed } from "../tools/tool.ts";
import type { ContentDigests } from "./content-digests.ts";
import { mediaTypeOf } from "./media-type.ts";
import { namesWithin } from "./named-path.ts";
import { openContent } from "./open-content.ts";

/** Of one task. */
const MAX_LISTED_ARTIFACTS = 1000;

export interface ArtifactParts {
  readonly store: Store;
  readonly table: ArtifactTable;
  readonly changes: Pick<FileChangeTable, "lastChange">;
  readonly contents: ContentStore;
  readonly digests: ContentDigests;
  readonly workspaceDir: string;
}

/** Publishes versions of files, and reads them. Their contents are kept with those of the checkpoints, as long as there is room. */
export class Artifacts implements Publisher {
  readonly #parts: ArtifactParts;

  constructor(parts: ArtifactParts) {
    this.#parts = parts;
  }

  async publish({ path, title, taskId, turnId }: PublishedFile): Promise<Artifact> {
    const { store, table, contents, changes } = this.#parts;
    const opened = await this.#open(path);
    await using file = opened.file;
    const captured = await contents.captureFile(file);
    const content = captured.kind === "stored" ? captured : null;
    const { digest, bytes } = content ?? (await this.#read(file, path));
    const artifact = store.transaction(
      () => {
        if (content !== null) contents.use(content, changes.lastChange());
        return table.add({
          artifact_id: newId("art"),
          task_id: taskId,
          turn_id: turnId,
          path,
          title,
          bytes,
          digest,
          media_type: mediaTypeOf(path),
          createdAt: Date.now(),
        });
      },
      { durable: true },
    );
    contents.prune();
    return artifact;
  }

  list(taskId: string): ArtifactList {
    const { table, contents } = this.#parts;
    const items = table.ofTask(taskId, MAX_LISTED_ARTIFACTS);
    return { items: items.map((one) => ({ ...one, kept: contents.has(one.digest) })) };
  }

  /** Opens the content of a version. Throws `NOT_FOUND`. */
  async open(artifactId: string): Promise<{ readonly artifact: Artifact; readonly file: FileHandle }> {
    const { table, contents } = this.#parts;
    const artifact = table.find(artifactId);
    if (artifact === null) throw new EngineError("NOT_FOUND", "artifact_id: nothing was published with this id");
    const file = await contents.open(artifact.digest);
    if (file === null) throw new EngineError("NOT_FOUND", "artifact_id: the content of this version is kept no longer");
    return { artifact, file };
  }

  async #open(path: string) {
    try {
      return await openContent(this.#parts.workspaceDir, namesWithin(path));
    } catch (error) {
      if (error instanceof EngineError || error instanceof InvalidInput) throw new ToolFailed(error.message);
      throw error;
    }
  }

  /** Of a file that is too large to be kept. */
  async #read(file: FileHandle, path: string) {
    const { digest, stats } = await this.#parts.digests.of(file);
    if (digest === null) throw new ToolFailed(`${path} changed while it was read; publish it when it is complete`);
    return { digest, bytes: stats.size };
  }
}
