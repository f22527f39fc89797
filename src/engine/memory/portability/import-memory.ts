import type { MemoryImported } from "../../../contract/memory-file.ts";
import type { StateValues } from "../../store/engine-state.ts";
import type { Store } from "../../store/open-store.ts";
import { StoredRecords, checkReferences } from "./check-references.ts";
import { linesOf } from "./file-lines.ts";
import { RECORD_TYPES, type RecordType } from "./file-records.ts";
import { ImportStage, type StagedRecord } from "./import-stage.ts";
import { readMemoryFile } from "./read-memory-file.ts";
import { RecordTaker } from "./record-importer.ts";
import type { WriteLane } from "../write-lane.ts";

/** Each type in order, and at last what facts say of each other. */
type Step = { readonly kind: "take" | "link"; readonly type: RecordType };
const STEPS: readonly Step[] = [
  ...RECORD_TYPES.map((type) => ({ kind: "take", type }) as const),
  { kind: "link", type: "knowledge" },
];
const PAGE = 100;
/** So much text is written before the store's log is folded back: much more at once would hold turns up. */
const FOLDED_EVERY = 256 * 1024;
const LONGEST_MS = 4;

export interface ImportParts {
  readonly store: Store;
  readonly lane: WriteLane;
  /** Makes the index anew from all there is. */
  readonly reindex: () => Promise<void>;
  /** Aborted when the engine stops: what is being taken over goes on at its next start. */
  readonly stopping: AbortSignal;
}

/** All of a file or nothing: it is read and checked whole before anything of it is taken over. */
export async function importMemory(parts: ImportParts, body: AsyncIterable<Uint8Array>): Promise<MemoryImported> {
  const { store } = parts;
  const stage = ImportStage.begin(store.dataDir);
  try {
    for await (const record of readMemoryFile(linesOf(body))) stage.add(record);
    await checkAll(parts, stage);
    await stage.keep();
    // From here on it is taken over, be it by the next start.
    store.transaction(() => store.state.set("import", { step: 0, line: 0, imported: {}, skipped: {} }), {
      durable: true,
    });
  } catch (error) {
    stage.close();
    ImportStage.remove(store.dataDir);
    throw error;
  }
  stage.close();
  return takeOver(parts);
}

/** What a process before this one was cut off in: goes on with a file that was read whole, drops one that was not. */
export async function resumeImport(parts: ImportParts): Promise<MemoryImported | null> {
  const { store } = parts;
  if (store.state.get("import") === null) {
    ImportStage.remove(store.dataDir);
    return null;
  }
  try {
    return await takeOver(parts);
  } catch (error) {
    if (ImportStage.isReadable(store.dataDir)) throw error;
    store.transaction(() => store.state.remove("import"));
    throw new Error("the file's records cannot be read any more; what had been taken over stays", { cause: error });
  }
}

/** That all that is referred to is there; and which records belong to something that was here before. */
async function checkAll({ store, lane }: ImportParts, stage: ImportStage): Promise<void> {
  const here = new StoredRecords(store);
  const hasPlan = store.db.prepare("select 1 from plan_items where task_id = ? limit 1");
  const isSkipped = ({ type, fields }: StagedRecord) =>
    (type === "turn" && (fields["state"] === "running" || here.has("turn", String(fields["id"])))) ||
    (type === "plan_item" && hasPlan.get(String(fields["task_id"])) !== undefined);
  const isKnown = (type: RecordType, id: string) => stage.find(type, id) !== null || here.has(type, id);
  let behind = 0;
  for (let page = stage.page(behind, PAGE); page.length > 0; page = stage.page(behind, PAGE)) {
    await lane.each(page, (record) => {
      checkReferences(record, isKnown);
      if (isSkipped(record)) stage.skip(record.line);
    });
    behind = page.at(-1)?.line ?? Infinity;
  }
}

/** Goes through the steps from where the store says, a few records a transaction, which says how far it has come. */
async function takeOver({ store, lane, reindex, stopping }: ImportParts): Promise<MemoryImported> {
  const stage = ImportStage.open(store.dataDir);
  try {
    const taker = new RecordTaker(store, stage);
    let written = 0;
    for (let at = store.state.get("import"); at !== null && at.step < STEPS.length;) {
      stopping.throwIfAborted();
      const from = at;
      const step = STEPS[from.step] as Step;
      const page = stage.page(from.line, PAGE, step.type);
      at = await lane.run(() => {
        const next = page.length === 0 ? { ...from, step: from.step + 1, line: 0 } : takePage(taker, step, from, page);
        store.state.set("import", next);
        return next;
      });
      written += page.reduce((sum, { length }) => sum + length, 0);
      if (written < FOLDED_EVERY) continue;
      written = 0;
      await store.fold();
    }
    await reindex();
    const { imported, skipped } = store.state.get("import") ?? { imported: {}, skipped: {} };
    store.transaction(() => {
      store.state.remove("import");
      store.reset.forget();
    });
    return { imported, skipped };
  } finally {
    stage.close();
    if (store.state.get("import") === null) ImportStage.remove(store.dataDir);
  }
}

function takePage(
  taker: RecordTaker,
  { kind, type }: Step,
  from: StateValues["import"],
  page: readonly StagedRecord[],
): StateValues["import"] {
  const until = performance.now() + LONGEST_MS;
  let { line } = from;
  const [imported, skipped] = [{ ...from.imported }, { ...from.skipped }];
  for (const record of page) {
    const isNew = taker[kind](record);
    ({ line } = record);
    const counts = isNew ? imported : skipped;
    if (kind === "take") counts[type] = (counts[type] ?? 0) + 1;
    if (performance.now() > until) break;
  }
  return { ...from, line, imported, skipped };
}
