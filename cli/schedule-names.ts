import type { OrchestratorClient } from "../src/client/orchestrator-client.ts";
import type { RunRecord, ScheduleRecord, WebhookRecord } from "../src/contract/schedule-records.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";
import { table } from "./table.ts";
import { ago } from "./times.ts";

/** The number of runs shown with a schedule or webhook. */
const SHOWN_RUNS = 10;

export const findSchedule = (client: OrchestratorClient, user: string, name: string): Promise<ScheduleRecord> =>
  found(client.schedules.list(user), { user, name, kind: "schedule" });

export const findWebhook = (client: OrchestratorClient, user: string, name: string): Promise<WebhookRecord> =>
  found(client.webhooks.list(user), { user, name, kind: "webhook" });

/** People type a name, programs an id. */
async function found<T extends { readonly id: string; readonly name: string }>(
  list: AsyncIterable<T>,
  { user, name, kind }: { readonly user: string; readonly name: string; readonly kind: "schedule" | "webhook" },
): Promise<T> {
  for await (const one of list) if (one.name === name || one.id === name) return one;
  const advice = `orchctl ${kind}s list ${safe(user)}`;
  throw new CliFailure(
    "notFound",
    `${safe(user)} has no ${kind} ${safe(name)}`,
    `${kind.toUpperCase()}_NOT_FOUND`,
    advice,
  );
}

export async function firstRuns(runs: AsyncIterable<RunRecord>): Promise<readonly RunRecord[]> {
  const shown: RunRecord[] = [];
  for await (const run of runs) {
    if (shown.push(run) === SHOWN_RUNS) break;
  }
  return shown;
}

export const runTable = (runs: readonly RunRecord[], columns: number | null): string =>
  runs.length === 0
    ? "no runs yet"
    : table(
        ["DUE", "STATE", "TURN", "ENDED", "ERROR"],
        runs.map(({ due_at, state, turn_id, ended_at, error }) => [
          due_at,
          state,
          turn_id,
          ago(ended_at, Date.now()),
          error,
        ]),
        columns,
      );
