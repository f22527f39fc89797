import { ENGINE_ERRORS, type EngineErrorCode } from "../contract/engine-errors.ts";

/** A refusal a client may see: one row of the table, with words for this case. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: EngineErrorCode, message: string, details?: Readonly<Record<string, unknown>>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  /** Outside a stream; a code of streams only has no status of its own. */
  get status(): number {
    return ENGINE_ERRORS[this.code].status ?? 500;
  }
}

const SQLITE_FAULTS: Readonly<Record<number, string>> = {
  8: "the engine's store cannot be written: it is read-only",
  10: "the engine's store cannot be read or written: the disk fails",
  11: "the engine's store is damaged",
  13: "the engine's store cannot be written: the disk is full",
};

/** A fault of ours as a client may see it; what its operator can mend is told, anything else is for the log. */
export function internalError(error: unknown, otherwise: string): EngineError {
  const sqlite = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  // The upper bits only tell how the disk failed.
  return new EngineError("INTERNAL_ERROR", SQLITE_FAULTS[sqlite & 0xff] ?? otherwise, undefined, error);
}
