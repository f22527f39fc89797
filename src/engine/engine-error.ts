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
