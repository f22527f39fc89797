import type { AuditLine } from "@orchd/client";
import { admin } from "../../session/clients.ts";
import { brokenLink } from "./verify-chain.ts";

const PAGE = 200;
/** The newest lines that are kept to be shown. */
const MAX_KEPT = 500;

export interface AuditState {
  /** The newest first. */
  readonly lines: readonly AuditLine[];
  readonly checked: number;
  /** The last line that was checked; with it, a later check can be compared. */
  readonly head: Pick<AuditLine, "seq" | "hash"> | null;
  /** Why the chain is broken, or null. */
  readonly broken: string | null;
  readonly isComplete: boolean;
}

export const NOTHING_READ: AuditState = { lines: [], checked: 0, head: null, broken: null, isComplete: false };

/** Reads the log from its first line on and checks each link. `onProgress` gets what was read after each page. */
export async function readAudit(onProgress: (state: AuditState) => void, signal: AbortSignal): Promise<void> {
  let state = NOTHING_READ;
  while (!state.isComplete) {
    const { data } = await admin.audit({ after: state.lines[0]?.seq ?? 0, limit: PAGE, signal });
    for (const line of data) {
      const broken = state.broken ?? (await brokenLink(state.head, line));
      state = {
        ...state,
        lines: [line, ...state.lines.slice(0, MAX_KEPT - 1)],
        broken,
        ...(broken === null && { checked: state.checked + 1, head: line }),
      };
    }
    state = { ...state, isComplete: data.length < PAGE };
    onProgress(state);
  }
}
