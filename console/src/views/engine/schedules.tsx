import type { EngineRecord, ScheduleRecord, ScheduleTiming } from "@orchd/client";
import { useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { slugOf } from "../../live/fleet.ts";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatDuration } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { shellWord } from "../../parts/shell-word.ts";
import { Ago } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import type { ViewProps } from "../view.ts";
import { CreateSchedule } from "./create-schedule.tsx";
import { LastRun } from "./last-run.tsx";
import { NoEngine } from "./no-engine.tsx";
import { Webhooks } from "./webhooks.tsx";

const REFRESH_MS = 10_000;

export const EngineSchedules = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  return engine === null ? <NoEngine /> : <Schedules engine={engine} />;
};

/** When the engine is sent messages: by schedules, and by webhooks of other services. */
const Schedules = ({ engine: { id, product_id, user_id } }: { readonly engine: EngineRecord }) => {
  const calls = productCalls(product_id).schedules;
  const { isBusy, run } = useAction();
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Pick<ScheduleRecord, "id" | "name"> | null>(null);
  const { data, problem, reload } = useResource(
    async (signal) => {
      const found: ScheduleRecord[] = [];
      for await (const schedule of calls.list(user_id, { signal })) found.push(schedule);
      return found;
    },
    [product_id, user_id],
  );
  usePolling(reload, REFRESH_MS);
  const act = async (call: Promise<unknown>, done: string) => {
    await run(() => call, done);
    reload();
  };
  const columns: readonly Column<ScheduleRecord>[] = [
    { title: "Name", cell: ({ name }) => <bdi>{name}</bdi> },
    { title: "When", cell: ({ timing }) => describeTiming(timing) },
    { title: "Message", kind: "wide", isRare: true, cell: ({ message }) => <bdi class="dim clip">{message}</bdi> },
    { title: "Next run", cell: ({ enabled, next_due_at }) => (enabled ? <Ago at={next_due_at} /> : "paused") },
    {
      title: "Last run",
      isExtra: true,
      cell: ({ last_run }) => <LastRun engine={id} run={last_run} />,
    },
    {
      title: "Actions",
      kind: "actions",
      cell: ({ id: schedule, name, enabled }) => (
        <>
          <button
            type="button"
            class="small"
            disabled={isBusy}
            onClick={() => void act(calls.run(user_id, schedule), "The schedule runs.")}
          >
            Run now
          </button>{" "}
          <button
            type="button"
            class="small"
            disabled={isBusy}
            onClick={() =>
              void act(
                calls.change(user_id, schedule, { enabled: !enabled }),
                enabled ? "The schedule is paused." : "The schedule continues.",
              )
            }
          >
            {enabled ? "Pause" : "Resume"}
          </button>{" "}
          <button
            type="button"
            class="small danger"
            disabled={isBusy}
            aria-label={`Delete ${name}`}
            onClick={() => setDeleted({ id: schedule, name })}
          >
            Delete
          </button>
        </>
      ),
    },
  ];
  return (
    <>
      <div class="section-head">
        <h2>Schedules</h2>
        <button type="button" class="small" onClick={() => setCreating(true)}>
          New schedule
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null &&
        (data.length > 0 ? (
          <Table label="Schedules" columns={columns} rows={data} keyOf={({ id }) => id} />
        ) : (
          <Empty
            title="This engine has no schedule."
            command={`orchctl schedules create ${shellWord(user_id)} daily "Good morning" --cron "0 8 * * *" --product ${slugOf(product_id)}`}
          >
            <p>A schedule sends the engine a message at its times:</p>
          </Empty>
        ))}
      <Webhooks engine={id} product={product_id} user={user_id} />
      {isCreating && (
        <CreateSchedule
          create={(schedule) => calls.create(user_id, schedule)}
          onClose={() => setCreating(false)}
          onCreated={() => (setCreating(false), reload())}
        />
      )}
      {deleted !== null && (
        <Confirm
          title={`Delete the schedule ${deleted.name}`}
          action="Delete schedule"
          isBusy={isBusy}
          onConfirm={() => {
            void act(calls.delete(user_id, deleted.id), "The schedule is deleted.");
            setDeleted(null);
          }}
          onClose={() => setDeleted(null)}
        >
          <p>A run that has begun goes on.</p>
        </Confirm>
      )}
    </>
  );
};

function describeTiming(timing: ScheduleTiming): string {
  if (timing.kind === "cron") return `${timing.cron} (${timing.time_zone})`;
  return timing.kind === "every"
    ? `every ${formatDuration(timing.every_s)}`
    : `once, ${new Date(timing.at).toLocaleString("en-GB")}`;
}
