import type { Actor } from "../kernel/scheduler.ts";
import type { Transaction } from "./tables.ts";

export interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number;
}

/** A connection as the server sees it. */
export interface Session {
  /** Its pid. */
  readonly id: number;
  /** The process at the other end. */
  readonly client: Actor | null;
  readonly settings: Map<string, string>;
  readonly channels: Set<string>;
  transaction: Transaction | null;
  /** A statement of the transaction has failed. */
  isAborted: boolean;
  isClosed: boolean;
  /** When the last statement ended. Null while one runs. */
  idleSince: number | null;
  readonly onNotice: (channel: string, payload: string) => void;
  /** The server has ended the connection. */
  readonly onClosed: (error: Error) => void;
}
