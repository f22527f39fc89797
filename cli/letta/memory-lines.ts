import { MEMORY_FORMAT, MEMORY_FORMAT_VERSION } from "../../src/contract/engine/memory-format.ts";
import { VERSION } from "../../src/shared/version.ts";
import type { FileRecord } from "./conversation-records.ts";

/** A memory file, as `orchctl memory import` takes it. */
export function memoryFile(
  records: readonly FileRecord[],
  { user, now }: { readonly user: string; readonly now: string },
) {
  const counts = Object.fromEntries(
    [...Map.groupBy(records, ({ type }) => type)].map(([type, list]) => [type, list.length]),
  );
  const header = {
    type: "header",
    format: MEMORY_FORMAT,
    version: MEMORY_FORMAT_VERSION,
    engine_version: VERSION,
    engine_id: "letta",
    user_id: user,
    product: "letta",
    exported_at: now,
  };
  return new Blob([header, ...records, { type: "end", counts }].map((line) => `${JSON.stringify(line)}\n`));
}
