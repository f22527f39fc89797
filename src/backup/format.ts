import * as z from "zod/mini";

/**
 * A backup is a gzipped tar archive, encrypted as a whole when there is a passphrase:
 *
 *     orchd-backup.json        header
 *     keys/…                   section `keys`: host id, admin key, sealing key, heads of the audit log
 *     lists/keys.jsonl         a section ends with the list of its members
 *     records/…                section `records`: rows of the database as lines of JSON
 *     engines/<id>/…           a section per engine: its folder
 *     kept/<product>/<user>/…  a section per folder that a destroy kept
 *     manifest.json            the hashes of all lists; an archive without it is incomplete
 */
export const FORMAT = 1;
export const HEADER_FILE = "orchd-backup.json";
export const MANIFEST_FILE = "manifest.json";
export const KEYS = "keys";
export const RECORDS = "records";

export const engineSection = (id: string): string => `engines/${id}`;
export const keptSection = (productId: string, user: string): string => `kept/${productId}/${user}`;
export const listFile = (section: string): string => `lists/${section}.jsonl`;

const ENGINE = /^engines\/eng_[0-9a-f-]{36}$/;
const KEPT = /^kept\/prd_[0-9a-f-]{36}\/[0-9a-f]{64}$/;

/** The section that a path belongs to, by its form. Null for a path outside of all sections. */
export function sectionOf(path: string): string | null {
  const parts = path.split("/");
  if (parts[0] === KEYS || parts[0] === RECORDS) return parts[0];
  const [engine, kept] = [parts.slice(0, 2).join("/"), parts.slice(0, 3).join("/")];
  if (ENGINE.test(engine)) return engine;
  return KEPT.test(kept) ? kept : null;
}

/** The engine of a section, or null. */
export const engineOf = (section: string): string | null => (ENGINE.test(section) ? section.slice(8) : null);

export const backupHeader = z.object({
  kind: z.literal("orchd backup"),
  format: z.int(),
  /** The orchd that wrote it. */
  version: z.string(),
  created_at: z.string(),
  host_id: z.string(),
  /** The last migration of the records. */
  schema: z.string(),
  /** Recognises the sealing key without revealing it. */
  secret_key_check: z.string(),
});
export type BackupHeader = z.output<typeof backupHeader>;

/** A line of a section's list. */
export const listedMember = z.object({
  path: z.string(),
  type: z.enum(["file", "directory", "symlink"]),
  size: z.int(),
  /** SHA-256 of a file's content or of a link's target; empty for a folder. */
  sha256: z.string(),
});
export type ListedMember = z.output<typeof listedMember>;

const listedSection = z.object({
  name: z.string(),
  members: z.int(),
  bytes: z.int(),
  /** SHA-256 of the section's list. */
  sha256: z.string(),
  /** Why the section lacks files, or null. */
  incomplete: z.nullable(z.string()),
});
export type ListedSection = z.output<typeof listedSection>;

export const backupManifest = z.object({
  sections: z.array(listedSection),
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** Engines that were destroyed while the backup ran. */
  destroyed: z.array(z.string()),
});
export type BackupManifest = z.output<typeof backupManifest>;
