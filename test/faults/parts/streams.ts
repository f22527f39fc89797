import { type Frame, type SseStream, openStream } from "../../helpers/engine.ts";
import type { Product } from "./site.ts";

export interface StreamingEngine {
  readonly user: string;
  readonly pid: number;
  /** Resolves at the end of the stream with what is wrong with it. Null when every part arrived. */
  readonly flaw: Promise<string | null>;
  over(): boolean;
}

/** Starts a turn of so many parts per second on a real engine. */
export async function streamingEngine(
  product: Product,
  { user, parts, perSecond }: { readonly user: string; readonly parts: number; readonly perSecond: number },
): Promise<StreamingEngine> {
  const made = await product.post("/engines/provision", { user_id: user });
  if (made.status !== 201) throw new Error(made.text);
  const stream = await openStream(made.body.url, "/execute", {
    headers: { "x-engine-key": made.body.engine_api_key },
    body: { task_id: "t", message: `/stream ${parts} ${perSecond}` },
  });
  await stream.first("text_delta");
  const deadlineMs = (parts / perSecond) * 1000 * 3 + 30_000;
  return { user, pid: made.body.pid, flaw: flawOf(stream, { parts, deadlineMs }), over: () => stream.ended };
}

async function flawOf(
  stream: SseStream,
  { parts, deadlineMs }: { readonly parts: number; readonly deadlineMs: number },
): Promise<string | null> {
  const frames = await stream.all(deadlineMs).catch((error: unknown) => String(error));
  if (typeof frames === "string") return frames;
  const seqs = frames.map(({ data }: Frame) => data.seq as number);
  if (seqs.some((seq, index) => index > 0 && seq <= (seqs[index - 1] ?? 0))) return "its events are out of order";
  const deltas = frames.filter(({ event }) => event === "text_delta").length;
  if (deltas !== parts) return `${deltas} of ${parts} parts came`;
  const last = frames.at(-1);
  return last?.event === "thread_lifecycle" && last.data.phase === "completed" ? null : `it ends with ${last?.event}`;
}
