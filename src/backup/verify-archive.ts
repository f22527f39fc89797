import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { readArchive } from "./archive-reader.ts";
import { storeProblem } from "./check-store.ts";
import { type BackupHeader, type BackupManifest, RECORDS, engineOf } from "./format.ts";
import { assertFreeSpace } from "./free-space.ts";
import { InvalidBackup } from "./invalid-backup.ts";
import { recordLines, tableOf } from "./record-lines.ts";
import { STORE_FILES } from "./store-snapshot.ts";

/** What a database of this orchd can hold. */
export interface KnownRecords {
  /** Every migration, in order. */
  readonly schemas: readonly string[];
  readonly tables: readonly string[];
}

export interface BackupReport {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  /** Stores that SQLite finds damaged. They were so when the backup was made; their engines will move them aside. */
  readonly damaged: readonly { readonly section: string; readonly problem: string }[];
}

/** Throws {@link InvalidBackup} for a schema that only a newer orchd knows. */
export function assertKnownSchema({ schema, version }: BackupHeader, { schemas }: KnownRecords): void {
  if (!schemas.includes(schema))
    throw new InvalidBackup(
      `the records have the schema ${schema} of a newer orchd (${version}); install that version`,
    );
}

/** Throws {@link InvalidBackup} unless the rows that were read are those of the manifest. */
export function assertRows({ rows }: BackupManifest, found: ReadonlyMap<string, number>): void {
  for (const [table, count] of Object.entries(rows))
    if ((found.get(table) ?? 0) !== count)
      throw new InvalidBackup(`records of ${table}: expected ${count} rows, found ${found.get(table) ?? 0}`);
}

/** Reads a whole archive, checks its hashes and records, and lets SQLite check each store. Throws {@link InvalidBackup}. */
export async function verifyArchive(
  source: Readable,
  { passphrase, known }: { readonly passphrase: string | null; readonly known: KnownRecords },
): Promise<BackupReport> {
  const damaged: { section: string; problem: string }[] = [];
  const rows = new Map<string, number>();
  const folder = await mkdtemp(join(tmpdir(), "orchd-verify-"));
  const stores = join(folder, "stores");
  try {
    const { header, manifest } = await readArchive(source, {
      passphrase,
      visitor: {
        header: (read) => assertKnownSchema(read, known),
        async member(section, member, body) {
          if (section === RECORDS) {
            const table = tableOf(member, known.tables);
            if (table !== null)
              rows.set(table, (rows.get(table) ?? 0) + recordLines(member.path, await text(body)).length);
          } else if (engineOf(section) !== null && member.type === "file" && STORE_FILES.includes(member.path)) {
            await mkdir(stores, { recursive: true });
            await assertFreeSpace(stores, member.size);
            await pipeline(body, createWriteStream(join(stores, member.path), { mode: 0o600 }));
          }
        },
        async sectionEnd(section) {
          if (engineOf(section) === null) return;
          const problem = storeProblem(join(stores, STORE_FILES[0] ?? ""));
          if (problem !== null) damaged.push({ section, problem });
          await rm(stores, { recursive: true, force: true });
        },
      },
    });
    assertRows(manifest, rows);
    return { header, manifest, damaged };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
