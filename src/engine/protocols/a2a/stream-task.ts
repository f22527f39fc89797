import type { ServerResponse } from "node:http";
import type { EngineCalls, EventRow } from "../engine-calls.ts";
import { SseWriter, dataFrame } from "../sse-writer.ts";
import { answeredError } from "./a2a-error.ts";
import { publishedBy, taskOfView } from "./find-task.ts";
import { type Going, advance } from "./send-message.ts";
import type { Artifact, TaskView } from "./task-view.ts";

interface Reader {
  readonly calls: EngineCalls;
  readonly response: ServerResponse;
  /** Of the JSON-RPC request. */
  readonly id: string | number | null;
}

/** Streams a task: what it is now, what it makes, and its last status. The stream ends when the task ends or waits. */
export async function streamTask(
  { calls, response, id }: Reader,
  task: Going,
  historyLength: number | undefined,
): Promise<void> {
  const { view } = task;
  const first = await taskOfView(calls, view, { historyLength });
  const stream = SseWriter.open(response, calls.limits);
  const frame = (result: object) => dataFrame({ jsonrpc: "2.0", id, result });
  const ids = { taskId: view.turnId, contextId: view.contextId };
  const artifact = (one: Artifact, more: object = {}) => frame({ artifactUpdate: { ...ids, artifact: one, ...more } });
  await stream.write(frame({ task: first }));
  if (view.rests) return stream.end();
  try {
    await advance(task, async (rows) => {
      const change = applyAll(view, rows);
      if (change.isReplaced) await stream.write(artifact(view.answer ?? answerPart("")));
      else if (change.text !== "") await stream.write(artifact(answerPart(change.text), { append: change.appends }));
    });
    const made = view.isOver ? [view.output, ...(await published(calls, view))].flatMap((one) => one ?? []) : [];
    await stream.write(made.map((one) => artifact(one, { lastChunk: true })).join(""));
    const { metadata } = view;
    await stream.write(frame({ statusUpdate: { ...ids, status: view.status, ...(metadata && { metadata }) } }));
  } catch (error) {
    await stream.write(dataFrame({ jsonrpc: "2.0", id, error: answeredError(calls, error) }));
  }
  return stream.end();
}

const answerPart = (text: string): Artifact => ({ artifactId: "answer", name: "answer", parts: [{ text }] });

const published = async (calls: EngineCalls, view: TaskView): Promise<readonly Artifact[]> =>
  view.publishes ? publishedBy(calls, view.contextId, view.turnId) : [];

interface Change {
  readonly isReplaced: boolean;
  readonly text: string;
  /** False for the first text of the answer. */
  readonly appends: boolean;
}

/** Applies a batch, up to where the task rests. */
function applyAll(view: TaskView, rows: readonly EventRow[]): Change {
  const appends = view.hasAnswer;
  let isReplaced = false;
  let text = "";
  for (const row of rows) {
    const change = view.apply(row);
    if (change?.kind === "replaced") isReplaced = true;
    else if (change !== null) text += change.text;
    if (view.rests) break;
  }
  return { isReplaced, text, appends };
}
