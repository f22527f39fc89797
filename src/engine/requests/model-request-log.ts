import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { inBackground } from "../../shared/background.ts";
import type { ModelRequestRecord, ModelRequestSummary } from "../../contract/engine/turn.ts";
import type { Logger } from "../../shared/logger.ts";
import { redactSecrets } from "../../shared/redact-secrets.ts";
import type { CallRecorder, CallRecording } from "../model/call-recorder.ts";
import type { ModelRequest } from "../model/model-provider.ts";
import type { ModelRequestTable, NewModelRequest, RequestBounds } from "../store/model-requests.ts";
import { type EndedCall, RecordedCall, type RecordedCallParts } from "./recorded-call.ts";
import { type StoredRequest, MAX_BODY_LENGTH } from "./sent-request.ts";

export interface ModelRequestLogParts extends Pick<RecordedCallParts, "secrets" | "windowOf"> {
  readonly table: ModelRequestTable;
  readonly logger: Logger;
  /** The limits of the stored requests. */
  readonly bounds?: RequestBounds;
}

const BOUNDS: RequestBounds = { count: 2000, bytes: 32 * 1024 ** 2 };
/** Ended calls are stored in batches, after the turn has continued. */
const STORE_AFTER_MS = 1000;
/** Limits of calls that wait to be stored, beside those that are being stored. The oldest are dropped above them. */
const MAX_WAITING = { calls: 500, length: 16 * 1024 ** 2 };

/** Shorter texts are compressed faster than a thread wakes. */
const MAX_SYNC_LENGTH = 64 * 1024;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressInThread = promisify(zstdCompress);
const compress = async (text: string): Promise<Uint8Array> =>
  text.length <= MAX_SYNC_LENGTH ? zstdCompressSync(text, FAST) : compressInThread(text, FAST);

/** The requests of turns to models, kept for a day. Those of the last second are lost with the process. */
export class ModelRequestLog implements CallRecorder {
  readonly #parts: ModelRequestLogParts;
  readonly #recordings: RecordedCallParts;
  #waiting: EndedCall[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(parts: ModelRequestLogParts) {
    this.#parts = parts;
    const { secrets, windowOf } = parts;
    this.#recordings = { calls: new AsyncLocalStorage(), secrets, windowOf, ended: (call) => this.#add(call) };
  }

  start(provider: string, request: ModelRequest): CallRecording | null {
    return request.scope?.turnId ? new RecordedCall(this.#recordings, provider, request) : null;
  }

  /** Finds the call by the async context in which the request is sent. */
  capturing(inner: typeof fetch): typeof fetch {
    return (input, init) => {
      const body = init?.body;
      if (typeof body === "string" && (typeof input === "string" || input instanceof URL))
        this.#recordings.calls.getStore()?.sent({
          method: init?.method ?? "GET",
          url: String(input),
          headers: new Headers(init?.headers),
          body,
        });
      return inner(input, init);
    };
  }

  async ofTurn(turnId: string): Promise<readonly ModelRequestSummary[]> {
    await this.flush();
    return this.#parts.table.ofTurn(turnId);
  }

  /** Null if none is stored with this number. Text in the form of a secret is redacted. */
  async find(turnId: string, number: number): Promise<ModelRequestRecord | null> {
    await this.flush();
    const found = this.#parts.table.find(turnId, number);
    if (found === null) return null;
    const { summary, request } = found;
    const { body, bodyBytes, ...kept } = JSON.parse(zstdDecompressSync(request).toString()) as StoredRequest;
    const redact = (text: string) => redactSecrets(text, this.#parts.secrets);
    return { ...summary, turn_id: turnId, ...kept, ...shownBody(body, redact), body_bytes: bodyBytes };
  }

  /** Stores the pending requests. Never rejects. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#storing = this.#storing.then(() => this.#storeWaiting());
    return this.#storing;
  }

  /** Calls wait, within the limits, until those before them are stored. */
  async #storeWaiting(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    if (calls.length > 0) await this.#store(calls);
  }

  #add(call: EndedCall): void {
    this.#waiting.push(call);
    this.#length += call.length;
    while (this.#waiting.length > MAX_WAITING.calls || this.#length > MAX_WAITING.length)
      this.#length -= this.#waiting.shift()?.length ?? this.#length;
    this.#timer ??= setTimeout(() => inBackground("storage of model requests", this.flush()), STORE_AFTER_MS).unref();
  }

  async #store(calls: readonly EndedCall[]): Promise<void> {
    const { table, logger, bounds = BOUNDS } = this.#parts;
    try {
      const rows: NewModelRequest[] = [];
      for (const call of calls) {
        const request = await compress(JSON.stringify(call.request()));
        rows.push({ turnId: call.turnId, summary: call.summary(), request });
        // Serializing a long conversation takes milliseconds, so the event loop runs between calls.
        await nextTurn();
      }
      table.insert(rows, Date.now(), bounds);
    } catch (error) {
      logger.warn({ err: error, calls: calls.length }, "failed to store requests to models");
    }
  }
}

function shownBody(body: string | null, redact: (text: string) => string) {
  if (body === null) return { body: null, truncated: false };
  if (body.length > MAX_BODY_LENGTH) return { body: redact(body.slice(0, MAX_BODY_LENGTH)), truncated: true };
  const reviver = (_key: string, value: unknown) => (typeof value === "string" ? redact(value) : value);
  return { body: JSON.parse(body, reviver) as unknown, truncated: false };
}
