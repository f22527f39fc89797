import type { ModelRequests, TurnRecord } from "@orchd/client";
import { useEffect } from "preact/hooks";
import { type Resource, useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useTurn } from "../../live/use-turn.ts";
import { Fact } from "../../parts/fact.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Clock, now } from "../../parts/time.tsx";
import { address, linkTo } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { RunLink } from "../conversations/run-link.tsx";
import { transcriptPath } from "../conversations/transcript-path.ts";
import { useRunSources } from "../conversations/use-run-sources.ts";
import type { ViewProps } from "../view.ts";
import { CallDetail } from "./call-detail.tsx";
import { formatMs } from "./format-ms.ts";
import { StepDetail } from "./step-detail.tsx";
import { type TurnRow, rowsOf } from "./turn-rows.ts";
import { TurnState } from "./turn-state.tsx";
import { Waterfall } from "./waterfall.tsx";

const REFRESH_MS = 3000;

/** One turn opened up: its steps, its model calls and what they were sent. */
export const TurnView = ({ params }: ViewProps) => {
  const engine = params["engine"] ?? "";
  const turn = params["turn"] ?? "";
  const { steps, problem } = useTurn(engine, turn);
  const record = useResource((signal) => engineCalls(engine).turn(turn, { signal }), [engine, turn]);
  const calls = useResource((signal) => engineCalls(engine).modelRequests(turn, { signal }), [engine, turn]);
  const reload = () => {
    record.reload();
    calls.reload();
  };
  usePolling(() => !steps.isOver && steps.events > 0 && reload(), REFRESH_MS);
  useEffect(() => {
    if (steps.isOver && record.data?.ended_at === null) reload();
  }, [steps.isOver]);
  const selected = address.value.query.get("at") ?? "";
  const rows = rowsOf(steps.steps, calls.data?.requests ?? []);
  const row = rows.find(({ key }) => key === selected) ?? rows.find(({ kind }) => kind === "model") ?? rows[0];
  if (record.problem !== null && record.data === null)
    return <ProblemNote problem={record.problem} onRetry={record.reload} />;
  if (record.data === null)
    return (
      <p aria-busy="true" class="dim">
        Reading the turn
      </p>
    );
  return (
    <>
      <TurnFacts engine={engine} turn={record.data} usage={steps.usage} steps={rows.length} />
      {problem !== null && <ProblemNote problem={problem} />}
      <RequestsNote calls={calls} />
      {rows.length === 0 ? (
        <p class="dim">The events of this turn are not kept any more: they are stored for 24 hours.</p>
      ) : (
        <div class="turn-columns">
          <Waterfall
            rows={rows}
            fromMs={Math.min(rows[0]?.fromMs ?? 0, steps.startedMs ?? Infinity)}
            toMs={steps.endedMs ?? (record.data.ended_at === null ? null : Date.parse(record.data.ended_at))}
            selected={row?.key ?? ""}
          />
          {row !== undefined && <Detail engine={engine} turn={turn} row={row} />}
        </div>
      )}
    </>
  );
};

const Detail = ({ engine, turn, row }: { readonly engine: string; readonly turn: string; readonly row: TurnRow }) => (
  <section class="panel turn-detail" aria-label={`Details: ${row.label}`} tabIndex={0}>
    <h2>{row.label}</h2>
    {row.call !== undefined && <CallDetail engine={engine} turn={turn} call={row.call} />}
    {row.step !== undefined && <StepDetail key={row.key} step={row.step} />}
  </section>
);

const TurnFacts = ({
  engine,
  turn: { turn_id, task_id, state, error, agent, message, started_at, ended_at },
  usage,
  steps,
}: {
  readonly engine: string;
  readonly turn: TurnRecord;
  readonly usage: ReturnType<typeof useTurn>["steps"]["usage"];
  readonly steps: number;
}) => (
  <section class="panel" aria-label="The turn">
    <p class="turn-text">
      <bdi>{message.trim() === "" ? "(files only)" : message}</bdi>
    </p>
    <dl class="facts inline">
      <Fact name="State">
        <TurnState state={state} error={error} />
      </Fact>
      <Fact name="Started">
        <Clock at={started_at} />
      </Fact>
      <Fact name="Time">
        {formatMs((ended_at === null ? now.value : Date.parse(ended_at)) - Date.parse(started_at))}
      </Fact>
      <Fact name="Tokens">
        {formatCount(usage?.input_tokens)} in, {formatCount(usage?.output_tokens)} out
      </Fact>
      <Fact name="Steps">{formatCount(steps)}</Fact>
      <Fact name="Agent">{agent}</Fact>
      <Fact name="Conversation">
        <a href={linkTo(transcriptPath(engine, task_id))}>
          <bdi>{task_id}</bdi>
        </a>
      </Fact>
      <SentBy engine={engine} task={task_id} turn={turn_id} />
      <Fact name="Turn">
        <code>{turn_id}</code>
      </Fact>
    </dl>
  </section>
);

/** Nothing for a turn whose message came from a caller. */
const SentBy = ({ engine, task, turn }: { readonly engine: string; readonly task: string; readonly turn: string }) => {
  const source = useRunSources(engine, task).get(turn);
  return source === undefined ? null : (
    <Fact name="Sent by">
      <RunLink engine={engine} source={source} />
    </Fact>
  );
};

const RequestsNote = ({ calls: { data, problem } }: { readonly calls: Resource<ModelRequests> }) => {
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (data?.kept !== false) return null;
  return (
    <p class="callout">
      <span>
        Requests to the model are not kept: <code>ENGINE_KEEP_REQUESTS</code> is off for this engine.
      </span>
    </p>
  );
};
