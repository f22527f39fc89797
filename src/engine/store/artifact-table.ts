import type { Artifact } from "../../contract/engine/file.ts";
import { isoTime } from "../../shared/clock.ts";
import { Table } from "./table.ts";

/** A version before it has its number. */
export type NewArtifact = Omit<Artifact, "version" | "created_at"> & { readonly createdAt: number };

/** Versions of files that the agent has published. */
export class ArtifactTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into artifacts (artifact_id, task_id, turn_id, path, title, bytes, digest, media_type, created_at, version)
     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
       (select coalesce(max(version), 0) + 1 from artifacts where task_id = ?2 and path = ?4)) returning *`,
  );
  readonly #ofTask = this.db.prepare("select * from artifacts where task_id = ? order by id desc limit ?");
  readonly #byId = this.db.prepare("select * from artifacts where artifact_id = ?");
  readonly #digests = this.db.prepare("select distinct digest from artifacts where task_id = ?");
  readonly #refers = this.db.prepare("select 1 from artifacts where digest = ? limit 1");

  add({ artifact_id, task_id, turn_id, path, title, bytes, digest, media_type, createdAt }: NewArtifact): Artifact {
    const row = this.#insert.get(artifact_id, task_id, turn_id, path, title, bytes, digest, media_type, createdAt);
    if (row === undefined) throw new Error("an artifact was not stored");
    return artifactOf(row);
  }

  /** The newest first. */
  ofTask(taskId: string, limit: number): readonly Artifact[] {
    return this.#ofTask.all(taskId, limit).map(artifactOf);
  }

  find(artifactId: string): Artifact | null {
    const row = this.#byId.get(artifactId);
    return row === undefined ? null : artifactOf(row);
  }

  digestsOf(taskId: string): readonly string[] {
    return this.#digests.all(taskId).map((row) => String(row["digest"]));
  }

  refersTo(digest: string): boolean {
    return this.#refers.get(digest) !== undefined;
  }
}

const artifactOf = (row: Record<string, unknown>): Artifact => ({
  artifact_id: String(row["artifact_id"]),
  task_id: String(row["task_id"]),
  turn_id: String(row["turn_id"]),
  path: String(row["path"]),
  title: String(row["title"]),
  version: Number(row["version"]),
  bytes: Number(row["bytes"]),
  digest: String(row["digest"]),
  media_type: String(row["media_type"]),
  created_at: isoTime(Number(row["created_at"])),
});
