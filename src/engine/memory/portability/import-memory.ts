import type { MemoryImported } from "../../../contract/engine/memory-file.ts";
import type { StateValues } from "../../store/engine-state.ts";
import type { Store } from "../../store/open-store.ts";
import { MAX_TRANSACTION_MS, type WriteLane } from "../write-lane.ts";
import { reserveNumbers } from "./conversation-importer.ts";
import { StoredRecords, checkReferences } from "./check-references.ts";
import { RECORD_TYPES, type RecordType } from "./file-records.ts";
import { ImportStage, type StagedRecord } from "./import-stage.ts";
import { readMemoryFile } from "./read-memory-file.ts";
import { RecordImporter } from "./record-importer.ts";

/** Imports each type in order, then links each closed fact to its successor. */
type Step = { readonly kind: "import" | "link"; readonly type: RecordType };
const STEPS: readonly Step[] = [
  ...RECORD_TYPES.map((type) => ({ kind: "import", type }) as const),
  { kind: "link", type: "knowledge" },
  { kind: "link", type: "task" },
];
const PAGE = 100;
/** Bytes between two WAL checkpoints: a longer checkpoint would delay turns. */
const CHECKPOINT_EVERY = 256 * 1024;

export interface ImportParts {
  readonly store: Store;
  readonly lane: WriteLane;
  /** Indexes everything that is stored and not indexed. */
  readonly reindex: () => Promise<void>;
  /** Aborted when the engine stops; the next start continues the import. */
  readonly stopping: AbortSignal;
}

/** Imports all of a file or nothing: the file is validated completely before the first record is imported. */
export async function importMemory(parts: ImportParts, body: AsyncIterable<Uint8Array>): Promise<MemoryImported> {
  const { store } = parts;
  const stage = ImportStage.create(store.dataDir);
  try {
    for await (const record of readMemoryFile(body)) stage.add(record);
    await checkStage(parts, stage);
    await stage.commit();
    // From now on an interrupted import is continued by the next start.
    store.transaction(
      () => {
        const offsets = reserveNumbers(store, stage.lastLine);
        store.state.set("import", { step: 0, line: 0, imported: {}, skipped: {}, offsets });
      },
      { durable: true },
    );
  } catch (error) {
    stage.close();
    ImportStage.remove(store.dataDir);
    throw error;
  }
  stage.close();
  return runSteps(parts);
}

/** Continues an interrupted import if its file was read completely; drops it otherwise. */
export async function resumeImport(parts: ImportParts): Promise<MemoryImported | null> {
  const { store } = parts;
  const at = store.state.get("import");
  if (at === null) {
    ImportStage.remove(store.dataDir);
    return null;
  }
  if (at.offsets === undefined) store.transaction(() => store.state.set("import", ofThisRelease(at)));
  try {
    return await runSteps(parts);
  } catch (error) {
    if (ImportStage.isReadable(store.dataDir)) throw error;
    store.transaction(() => store.state.remove("import"));
    throw new Error("the staged records of an interrupted import are unreadable; records imported before stay", {
      cause: error,
    });
  }
}

/** The position of an import that an engine of an earlier release began: it has not the first two steps, and no numbers. */
const ofThisRelease = (at: StateValues["import"]): StateValues["import"] => ({
  ...at,
  step: at.step + 2,
  offsets: { messages: 0, branches: 0, lines: 0 },
});

/** Checks all references, and marks records whose turn or plan is already stored. */
async function checkStage({ store, lane }: ImportParts, stage: ImportStage): Promise<void> {
  const stored = new StoredRecords(store);
  const hasPlan = store.db.prepare("select 1 from plan_items where task_id = ? limit 1");
  const isSkipped = ({ type, fields }: StagedRecord) =>
    (type === "turn" && (fields["state"] === "running" || stored.has("turn", String(fields["id"])))) ||
    (type === "plan_item" && hasPlan.get(String(fields["task_id"])) !== undefined);
  const isKnown = (type: RecordType, id: string) => stage.find(type, id) !== null || stored.has(type, id);
  let after = 0;
  for (let page = stage.page(after, PAGE); page.length > 0; page = stage.page(after, PAGE)) {
    await lane.each(page, (record) => {
      checkReferences(record, isKnown);
      if (isSkipped(record)) stage.skip(record.line);
    });
    after = page.at(-1)?.line ?? Infinity;
  }
}

/** Runs the steps from the stored position on; each transaction imports a few records and stores the position. */
async function runSteps({ store, lane, reindex, stopping }: ImportParts): Promise<MemoryImported> {
  const stage = ImportStage.open(store.dataDir);
  try {
    const importer = new RecordImporter(store, stage);
    let written = 0;
    for (let at = store.state.get("import"); at !== null && at.step < STEPS.length;) {
      stopping.throwIfAborted();
      const from = at;
      const step = STEPS[from.step] as Step;
      const page = stage.page(from.line, PAGE, step.type);
      at = await lane.run(() => {
        const next =
          page.length === 0 ? { ...from, step: from.step + 1, line: 0 } : importPage(importer, step, from, page);
        store.state.set("import", next);
        return next;
      });
      written += page.reduce((sum, { length }) => sum + length, 0);
      if (written < CHECKPOINT_EVERY) continue;
      written = 0;
      await store.checkpoint();
    }
    await reindex();
    const { imported, skipped } = store.state.get("import") ?? { imported: {}, skipped: {} };
    store.transaction(() => {
      store.state.remove("import");
      store.reset.clear();
    });
    return { imported, skipped };
  } finally {
    stage.close();
    if (store.state.get("import") === null) ImportStage.remove(store.dataDir);
  }
}

function importPage(
  importer: RecordImporter,
  { kind, type }: Step,
  from: StateValues["import"],
  page: readonly StagedRecord[],
): StateValues["import"] {
  const until = performance.now() + MAX_TRANSACTION_MS;
  let { line } = from;
  const [imported, skipped] = [{ ...from.imported }, { ...from.skipped }];
  for (const record of page) {
    const isNew = importer[kind](record);
    ({ line } = record);
    const counts = isNew ? imported : skipped;
    if (kind === "import") counts[type] = (counts[type] ?? 0) + 1;
    if (performance.now() > until) break;
  }
  return { ...from, line, imported, skipped };
}
