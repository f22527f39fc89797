import type { TurnPage, TurnRecord } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { changedAt, stateOf, taskOf } from "./find-task.ts";
import type { ListParams } from "./requests.ts";

const PAGE = "200";
/** Turns that a list looks through. */
const MAX_TURNS = 10_000;
const DEFAULT_PAGE = 50;

/** Turns as tasks, the newest first. */
export async function listTasks(calls: EngineCalls, params: ListParams): Promise<object> {
  const { pageSize = DEFAULT_PAGE, pageToken = "", historyLength = 0, includeArtifacts = false } = params;
  const matching = (await turns(calls, params.contextId || undefined)).filter((turn) => fits(turn, params));
  const start = pageToken === "" ? 0 : matching.findIndex(({ turn_id: id }) => id === pageToken) + 1;
  if (pageToken !== "" && start === 0)
    throw calls.error("INVALID_REQUEST", "pageToken: expected the nextPageToken of the page before");
  const page = matching.slice(start, start + pageSize);
  const tasks = [];
  for (const turn of page) tasks.push(await taskOf(calls, turn, { historyLength, includeArtifacts }));
  const hasMore = start + page.length < matching.length;
  return {
    tasks,
    nextPageToken: hasMore ? (page.at(-1)?.turn_id ?? "") : "",
    pageSize: page.length,
    totalSize: matching.length,
  };
}

async function turns(calls: EngineCalls, contextId: string | undefined): Promise<readonly TurnRecord[]> {
  const found: TurnRecord[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = {
      limit: PAGE,
      ...(contextId !== undefined && { task_id: contextId }),
      ...(cursor !== null && { cursor }),
    };
    const page: TurnPage = await calls.call<TurnPage>("listTurns", { query });
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < MAX_TURNS);
  return found;
}

function fits(turn: TurnRecord, { status, statusTimestampAfter }: ListParams): boolean {
  if (status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && stateOf(turn) !== status) return false;
  return !statusTimestampAfter || Date.parse(changedAt(turn)) >= Date.parse(statusTimestampAfter);
}
