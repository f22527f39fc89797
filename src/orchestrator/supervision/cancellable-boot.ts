import type { HostContext } from "../host-context.ts";
import type { EngineRow } from "../store/tables.ts";

/** Registers a boot in `host.boots`, where a stop, a destroy or another start can cancel it and wait for its end. */
export async function cancellableBoot<T>(
  { boots }: Pick<HostContext, "boots">,
  { id, incarnation }: Pick<EngineRow, "id" | "incarnation">,
  work: (cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const settled = work(abort.signal);
  const entry = { incarnation, abort: (reason: string) => abort.abort(new Error(reason)), settled };
  boots.set(id, entry);
  try {
    return await settled;
  } finally {
    if (boots.get(id) === entry) boots.delete(id);
  }
}
