import type { ArtifactList } from "../../../contract/engine/file.ts";
import type { TaskMessage } from "../../../contract/engine/task-message.ts";
import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { A2aError } from "./a2a-error.ts";
import type { State } from "./requests.ts";
import { type Artifact, TaskView, answerArtifact } from "./task-view.ts";
import { historyOf } from "./task-history.ts";

const PAGE = "200";
/** Pages of messages in which the messages of an earlier turn are looked for. */
const MAX_PAGES = 20;

/** The turn of a task's id. */
export async function turnOf(calls: EngineCalls, id: string): Promise<ShownTurn> {
  try {
    return await calls.call<ShownTurn>("showTurn", { path: { turn_id: id } });
  } catch (error) {
    if (calls.described(error).code !== "NOT_FOUND") throw error;
    throw new A2aError("TASK_NOT_FOUND", "id: there is no task with this id");
  }
}

/** A turn as its stored events tell it so far. */
export async function viewOf(
  calls: EngineCalls,
  { turn_id: turnId, task_id: contextId }: Pick<ShownTurn, "turn_id" | "task_id">,
): Promise<TaskView> {
  const view = new TaskView({ turnId, contextId });
  for await (const rows of calls.read({ taskId: contextId, turnId, live: false, groups: ["message"] }))
    for (const row of rows) view.apply(row);
  return view;
}

export interface Wanted {
  /** Undefined: all messages. */
  readonly historyLength?: number | undefined;
  readonly includeArtifacts?: boolean | undefined;
}

/** A turn of which only its record is known, or whose events are kept no longer. */
export async function taskOf(calls: EngineCalls, turn: ShownTurn, wanted: Wanted = {}): Promise<object> {
  const view = await viewOf(calls, turn);
  if (view.isWhole) return taskOfView(calls, view, wanted);
  const messages = await messagesOf(calls, turn);
  const texts = messages.flatMap(({ role, parts }) =>
    role === "user" ? [] : parts.flatMap((part) => (part.type === "text" ? part.text : [])),
  );
  const answer = answerArtifact(texts.join("\n\n"));
  const artifacts = [
    ...(answer === null ? [] : [answer]),
    ...(turn.output === undefined ? [] : [outputArtifact(turn.output)]),
    ...(await publishedBy(calls, turn.task_id, turn.turn_id)),
  ];
  return {
    id: turn.turn_id,
    contextId: turn.task_id,
    status: statusOf(turn),
    ...(wanted.includeArtifacts !== false && { artifacts }),
    ...shownHistory(turn, messages, wanted),
  };
}

export async function taskOfView(
  calls: EngineCalls,
  view: TaskView,
  { historyLength, includeArtifacts = true }: Wanted = {},
): Promise<object> {
  const turn = { turn_id: view.turnId, task_id: view.contextId };
  const messages = historyLength === 0 ? [] : await messagesOf(calls, turn);
  const { metadata } = view;
  return {
    id: view.turnId,
    contextId: view.contextId,
    status: view.status,
    ...(includeArtifacts && { artifacts: await artifactsOf(calls, view) }),
    ...shownHistory(turn, messages, { historyLength }),
    ...(metadata !== undefined && { metadata }),
  };
}

async function artifactsOf(calls: EngineCalls, view: TaskView): Promise<readonly Artifact[]> {
  const published = view.publishes ? await publishedBy(calls, view.contextId, view.turnId) : [];
  return [...[view.answer, view.output].flatMap((one) => one ?? []), ...published];
}

const outputArtifact = (output: object): Artifact => ({
  artifactId: "output",
  name: "output",
  parts: [{ data: output, mediaType: "application/json" }],
});

/** The files that a turn has published, which are read with the engine's key. None for a caller that may not list them. */
export async function publishedBy(calls: EngineCalls, taskId: string, turnId: string): Promise<readonly Artifact[]> {
  const { items } = await permitted(calls, { items: [] }, () =>
    calls.call<ArtifactList>("listArtifacts", { path: { task_id: taskId } }),
  );
  return items
    .filter(({ turn_id: id }) => id === turnId)
    .map(({ artifact_id: artifactId, title, path, version, bytes, digest, media_type: mediaType }) => ({
      artifactId,
      name: path,
      description: title,
      parts: [{ url: `${calls.baseUrl}/files/content?artifact_id=${artifactId}`, filename: path, mediaType }],
      metadata: { version, bytes, digest },
    }))
    .toReversed();
}

/** The messages of a turn, the oldest first. None for a caller that may not read conversations. */
export async function messagesOf(
  calls: EngineCalls,
  { task_id: taskId, turn_id: turnId }: Pick<ShownTurn, "turn_id" | "task_id">,
): Promise<readonly TaskMessage[]> {
  const found: TaskMessage[] = [];
  let before: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query: Record<string, string> = { limit: PAGE, ...(before !== null && { before }) };
    const answer: TaskMessages = await permitted(calls, { items: [], before: null, after: null }, () =>
      calls.call<TaskMessages>("listMessages", { path: { task_id: taskId }, query }),
    );
    found.unshift(...answer.items.filter(({ turn_id: id }) => id === turnId));
    ({ before } = answer);
    if (before === null || (found.length > 0 && answer.items[0]?.turn_id !== turnId)) break;
  }
  return found;
}

async function permitted<T>(calls: EngineCalls, otherwise: T, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { code } = calls.described(error);
    if (code === "INSUFFICIENT_SCOPE" || code === "NOT_FOUND") return otherwise;
    throw error;
  }
}

function shownHistory(
  turn: Pick<ShownTurn, "turn_id" | "task_id">,
  messages: readonly TaskMessage[],
  { historyLength }: Wanted,
): object {
  const all = historyOf(turn, messages);
  const history = historyLength === undefined ? all : historyLength === 0 ? [] : all.slice(-historyLength);
  return history.length === 0 ? {} : { history };
}

/** The state of a turn by its record. */
export function stateOf({ state, error }: Pick<ShownTurn, "state" | "error">): State {
  switch (state) {
    case "running":
      return "TASK_STATE_WORKING";
    case "waiting_for_human":
      return "TASK_STATE_INPUT_REQUIRED";
    case "completed":
      return "TASK_STATE_COMPLETED";
    case "errored":
      return error === "CANCELLED" ? "TASK_STATE_CANCELED" : "TASK_STATE_FAILED";
    default:
      return state satisfies never;
  }
}

/** When a turn came into its state, as far as its record tells. */
export const changedAt = ({ started_at, ended_at }: Pick<ShownTurn, "started_at" | "ended_at">): string =>
  ended_at ?? started_at;

function statusOf(turn: ShownTurn): object {
  const ids = { contextId: turn.task_id, taskId: turn.turn_id, role: "ROLE_AGENT" };
  const message = { messageId: `${turn.turn_id}.error`, ...ids, parts: [{ text: turn.error }] };
  return { state: stateOf(turn), ...(turn.error !== null && { message }), timestamp: changedAt(turn) };
}
