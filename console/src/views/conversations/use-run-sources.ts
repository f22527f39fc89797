import type { RunRecord } from "@orchd/client";
import { engineById } from "../../live/engine.ts";
import { useResource } from "../../live/resource.ts";
import { productCalls } from "../../session/clients.ts";

/** What has sent the message of a turn, other than a caller. */
export interface RunSource {
  readonly kind: "schedule" | "webhook";
  readonly name: string;
  readonly run: RunRecord;
}

interface Source {
  readonly kind: RunSource["kind"];
  readonly name: string;
  readonly task_id: string | null;
  readonly runs: () => AsyncIterable<RunRecord>;
}

/** Runs of one schedule or webhook that are looked at, the newest ones. */
const RUNS_READ = 200;

/** The schedules and webhooks that have sent messages of a conversation, by the ids of their turns. */
export function useRunSources(engineId: string, task: string): ReadonlyMap<string, RunSource> {
  const engine = engineById(engineId);
  const { data } = useResource(
    async (signal) => (engine === null || engine === undefined ? null : readSources(engine, task, signal)),
    [engineId, task, engine === null || engine === undefined],
  );
  return data ?? new Map();
}

async function readSources(
  { product_id: product, user_id: user }: { readonly product_id: string; readonly user_id: string },
  task: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RunSource>> {
  const { schedules, webhooks } = productCalls(product);
  const sources: Source[] = [];
  for await (const { id, name, task_id } of schedules.list(user, { signal }))
    sources.push({ kind: "schedule", name, task_id, runs: () => schedules.runs(user, id, { signal }) });
  for await (const { id, name, task_id } of webhooks.list(user, { signal }))
    sources.push({ kind: "webhook", name, task_id, runs: () => webhooks.runs(user, id, { signal }) });
  const found = new Map<string, RunSource>();
  for (const { kind, name, task_id, runs } of sources) {
    // Without a conversation of the source, each run has one that is named by its id.
    if (task_id !== task && (task_id !== null || !task.startsWith("run_"))) continue;
    let read = 0;
    for await (const run of runs()) {
      if (run.task_id === task && run.turn_id !== null) found.set(run.turn_id, { kind, name, run });
      if (++read === RUNS_READ) break;
    }
  }
  return found;
}
