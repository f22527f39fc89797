import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { LINK_TTL_S, MAX_LISTED } from "./file-limits.ts";

const path = field(text, "The path in the workspace.", "reports/june.csv");
const digest = field(
  z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  "SHA-256 of the content. In quotes, it is the `ETag`.",
);

export const fileEntry = record("FileEntry", "A file, folder or link of the workspace.", {
  path,
  type: field(
    z.enum(["file", "folder", "link", "other"]),
    "Only files can be read. A link is never followed. `other`: a pipe, socket or device.",
    "file",
  ),
  bytes: nullable(count, "The size. `null` for all but files.", 4096),
  modified_at: field(time, "When its content was changed last."),
});
export type FileEntry = RecordOf<typeof fileEntry>;

export const fileList = record("FileList", "What a folder of the workspace contains.", {
  path: field(text, "The folder. Empty for the workspace itself.", "reports"),
  entries: field(z.array(fileEntry), "By folder, the entries of each sorted by name."),
  truncated: field(z.boolean(), "Whether there are more than `limit`.", false),
  unreadable: field(
    count,
    "Folders that could not be read, and entries whose names are not UTF-8: no call can name these.",
    0,
  ),
});
export type FileList = RecordOf<typeof fileList>;

export const storedFile = record("StoredFile", "A file that was written.", {
  path,
  bytes: field(count, "The size.", 4096),
  digest,
  created: field(z.boolean(), "Whether there was no file before.", true),
});
export type StoredFile = RecordOf<typeof storedFile>;

export const movedFile = record("MovedFile", "A file or folder that was moved.", {
  from: field(text, "Where it was.", "draft.csv"),
  to: field(text, "Where it is.", "reports/june.csv"),
});
export type MovedFile = RecordOf<typeof movedFile>;

export const removedFile = record("RemovedFile", "A file or folder that was removed.", { path });
export type RemovedFile = RecordOf<typeof removedFile>;

export const fileLink = record("FileLink", "A link that reads one file and needs no key.", {
  path,
  link: field(
    text,
    "The path of the link at the daemon's address. Whoever has it can read the file.",
    "/e/eng_01jd3v9q2c/files/linked/eyJwYXRoIjoi…",
  ),
  expires_at: field(time, "When it stops working."),
});
export type FileLink = RecordOf<typeof fileLink>;

const requestPath = z.string().check(z.minLength(1), z.maxLength(8192));
export const moveFileRequest = record("MoveFileRequest", "What is moved, and where to.", {
  from: field(requestPath, "The path of a file or folder.", "draft.csv"),
  to: field(requestPath, "Its new path. Missing folders are made.", "reports/june.csv"),
  overwrite: field(z.optional(z.boolean()), "`true` replaces a file at `to`. `false` when omitted."),
});

export const linkFileRequest = record("LinkFileRequest", "The file that a link reads.", {
  path: field(requestPath, "The path of a file.", "reports/june.csv"),
  ttl_s: field(
    z.optional(z.int().check(z.minimum(1), z.maximum(LINK_TTL_S.max))),
    `Seconds that the link is valid, at most ${LINK_TTL_S.max}. ${LINK_TTL_S.default} when omitted.`,
    300,
  ),
});

export const artifact = record("Artifact", "A version of a file that the agent has published.", {
  artifact_id: field(text, "The version's id.", "art_01jd3v9q2c"),
  task_id: field(text, "The task.", "t1"),
  turn_id: field(text, "The turn that published it.", "turn_01jd3v9q2c"),
  path,
  title: field(text, "What the agent calls it.", "Report of June"),
  version: field(count, "Counts what the task has published under this path, from 1.", 2),
  bytes: field(count, "The size.", 4096),
  digest,
  media_type: field(text, "The type, by the name of the file.", "text/csv"),
  created_at: field(time, "When it was published."),
});
export type Artifact = RecordOf<typeof artifact>;

export const artifactList = record("ArtifactList", "What the agent has published in a task.", {
  items: field(
    z.array(
      z.extend(artifact, {
        kept: field(
          z.boolean(),
          "Whether this version can still be read: old ones are removed when the room for earlier contents is used up.",
          true,
        ),
      }),
    ),
    "The newest first.",
  ),
});
export type ArtifactList = RecordOf<typeof artifactList>;

/** The bodies of the files interface. */
export const FILE_RESPONSES = {
  FileList: fileList,
  StoredFile: storedFile,
  MovedFile: movedFile,
  RemovedFile: removedFile,
  FileLink: fileLink,
  ArtifactList: artifactList,
} as const satisfies Record<string, z.ZodMiniType>;

export const LIST_LIMIT = {
  kind: "integer",
  min: 1,
  max: MAX_LISTED,
  fallback: 1000,
  summary: "Largest number of entries",
} as const;
