import { ENGINE_ERRORS, type EngineErrorCode } from "../contract/engine/errors.ts";

/** An error for the client: a row of `ENGINE_ERRORS` with a message. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: EngineErrorCode, message: string, details?: Readonly<Record<string, unknown>>, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  /** HTTP status; 500 for codes that occur only in streams. */
  get status(): number {
    return ENGINE_ERRORS[this.code].status ?? 500;
  }
}

const SQLITE_FAULTS: Readonly<Record<number, string>> = {
  8: "the engine's store cannot be written: it is read-only",
  10: "the engine's store cannot be read or written: I/O error",
  11: "the engine's store is damaged",
  13: "the engine's store cannot be written: the disk is full",
};

/** An `INTERNAL_ERROR` that names a store problem the operator can fix, or else has the message `fallback`. */
export function internalError(error: unknown, fallback: string): EngineError {
  const sqlite = error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
  // The low byte is SQLite's primary result code.
  return new EngineError("INTERNAL_ERROR", SQLITE_FAULTS[sqlite & 0xff] ?? fallback, undefined, error);
}
