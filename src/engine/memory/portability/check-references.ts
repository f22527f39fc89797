import { InvalidInput } from "../../../shared/parse.ts";
import type { Store } from "../../store/open-store.ts";
import { RECORD_TYPES, type RecordType, fileRecord } from "./file-records.ts";
import type { StagedRecord } from "./import-stage.ts";

/** Finds records in the engine's own store. */
export class StoredRecords {
  readonly #finds: ReadonlyMap<RecordType, { get(id: string): unknown }>;

  constructor({ db }: Pick<Store, "db">) {
    this.#finds = new Map(
      RECORD_TYPES.flatMap((type) => {
        const { table, fields } = fileRecord(type);
        const column = fields["id"]?.column;
        if (column === undefined) return [];
        return [[type, db.prepare(`select 1 from ${table} where ${column} = ?`)] as const];
      }),
    );
  }

  has(type: RecordType, id: string): boolean {
    return this.#finds.get(type)?.get(id) !== undefined;
  }
}

/** Throws when a record refers to one that is neither in the file nor in the store. */
export function checkReferences(
  { line, type, fields }: StagedRecord,
  isKnown: (type: RecordType, id: string) => boolean,
): void {
  for (const [name, other] of Object.entries(fileRecord(type).refers ?? {})) {
    const value = fields[name];
    const ids = Array.isArray(value) ? (value as readonly string[]) : typeof value === "string" ? [value] : [];
    const unknown = ids.find((id) => !isKnown(other, id));
    if (unknown !== undefined)
      throw new InvalidInput(
        `line ${line}: ${type}.${name}`,
        `expected a ${other} of the file or of this engine, got ${unknown}`,
      );
  }
}
