import type { Request, RequestHandler } from "express";
import { MAX_MEMORY_FILE_BYTES } from "../../contract/engine/memory-routes.ts";
import { MEMORY_FILE_TYPE, MEMORY_FORMAT, MEMORY_FORMAT_VERSION } from "../../contract/engine/memory-format.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { isoTime } from "../../shared/clock.ts";
import { assertNotCompressed } from "../../shared/http/receive-body.ts";
import { sendChunks } from "../../shared/http/send-chunks.ts";
import { VERSION } from "../../shared/version.ts";
import { EngineError } from "../engine-error.ts";
import type { StreamLimits } from "./event-stream.ts";
import type { MemoryPortability } from "../memory/portability/memory-portability.ts";
import type { ModelRequestLog } from "../requests/model-request-log.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { MessageIntake } from "../turns/message-intake.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

/** A reader that takes longer keeps the WAL from being checkpointed. */
const EXPORT_MS = 3600_000;
/** How long processes of ended turns may take to exit. */
const TURNS_GONE_MS = 5000;

export interface MemoryFileParts {
  readonly memory: { readonly portability: MemoryPortability };
  readonly runner: TurnRunner;
  readonly intake: MessageIntake;
  readonly inbox: Inbox;
  readonly journal: EventJournal;
  readonly learning: { readonly running: boolean };
  /** Null when none are kept. */
  readonly requests: Pick<ModelRequestLog, "flush"> | null;
  readonly limits: Pick<StreamLimits, "maxQueuedMs">;
  /** The engine, user and product that the memory belongs to. */
  readonly launch: Pick<EngineLaunch, "engine_id" | "user_id" | "product">;
}

export const exportRoute =
  ({ memory, journal, launch, limits }: MemoryFileParts): RequestHandler =>
  async (request, response) => {
    const { engine_id, user_id, product } = launch;
    journal.flush();
    const exporting = memory.portability.export({
      type: "header",
      format: MEMORY_FORMAT,
      version: MEMORY_FORMAT_VERSION,
      engine_version: VERSION,
      engine_id,
      user_id,
      product,
      exported_at: isoTime(Date.now()),
    });
    if (exporting.kind === "busy") throw busyMemory(exporting.with);
    const { chunks, signal: ended } = exporting;
    response.set({
      "Content-Type": MEMORY_FILE_TYPE,
      "Content-Disposition": `attachment; filename="memory-${engine_id}.jsonl"`,
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    // The export starts with its first chunk: a HEAD request reads none.
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    // A reader that stalls for this long is disconnected.
    response.setTimeout(limits.maxQueuedMs);
    const signal = AbortSignal.any([ended, AbortSignal.timeout(EXPORT_MS)]);
    // Where it stops early, the missing end line tells the reader that the file is incomplete.
    await sendChunks(response, chunks, signal);
  };

export const importRoute =
  ({ memory }: MemoryFileParts): RequestHandler =>
  async (request, response) => {
    assertNotCompressed(request, "lines of JSON");
    if (Number(request.get("Content-Length") ?? 0) > MAX_MEMORY_FILE_BYTES) throw tooLarge();
    try {
      const done = await memory.portability.import(piecesOf(request));
      if (done.kind === "busy") throw busyMemory(done.with);
      response.json(done.answer);
    } catch (error) {
      // A client that disconnected gets no answer, and its disconnect is no fault to log.
      if (!response.destroyed) throw error;
    } finally {
      // A client may read the answer only after it has sent the whole body.
      request.resume();
    }
  };

/** Leaves the request open when reading stops early: it still has to be answered. */
async function* piecesOf(request: Request): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    bytes += (piece as Uint8Array).length;
    if (bytes > MAX_MEMORY_FILE_BYTES) throw tooLarge();
    yield piece as Uint8Array;
  }
}

/** No turn runs or starts until the memory is erased. */
export const eraseRoute =
  ({ memory, runner, intake, inbox, journal, learning, requests }: MemoryFileParts): RequestHandler =>
  async (_request, response) => {
    const hold = runner.pause();
    if (hold.kind === "busy") {
      if (hold.turns.length === 0) throw busyMemory("erasure");
      const turns = hold.turns.map(({ taskId, turnId, startedAt, state }) => ({
        task_id: taskId,
        turn_id: turnId,
        started_at: isoTime(startedAt),
        state,
      }));
      throw new EngineError(
        "TASK_BUSY",
        `${turns.length === 1 ? "a turn is" : `${turns.length} turns are`} in flight`,
        {
          turn_id: turns[0]?.turn_id,
          turns,
        },
      );
    }
    try {
      await runner.waitUntilIdle(TURNS_GONE_MS);
      // Requests to models that wait to be stored are erased too.
      await requests?.flush();
      if (!journal.flush())
        throw new EngineError("INTERNAL_ERROR", "the last events cannot be stored, so nothing is erased");
      const done = await memory.portability.erase({
        isLearning: () => learning.running,
        lastEvent: () => journal.last,
      });
      if (done.kind === "learning")
        throw new EngineError("LC_RUNNING", "a learning batch is running; retry when it has finished");
      if (done.kind === "busy") throw busyMemory(done.with);
      inbox.erased();
      response.json(done.answer);
    } finally {
      hold.dispose();
      intake.startWaiting();
    }
  };

const tooLarge = () =>
  new EngineError("PAYLOAD_TOO_LARGE", `body: expected at most ${MAX_MEMORY_FILE_BYTES / 1024 ** 3} GiB`);

export const busyMemory = (holder: "import" | "erasure") =>
  new EngineError(
    "MEMORY_BUSY",
    `${holder === "import" ? "a memory import" : "a memory erasure"} is running; retry when it has finished`,
  );
