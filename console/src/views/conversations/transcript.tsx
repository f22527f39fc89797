import type { EngineClient, TaskRecord } from "@orchd/client";
import { useMemo } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useTasks } from "../../live/use-tasks.ts";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { Fact } from "../../parts/fact.tsx";
import { formatCount } from "../../parts/format.ts";
import { Clock } from "../../parts/time.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import { taskPath } from "../playground/task-path.ts";
import { useSide } from "../playground/use-side.ts";
import type { ViewProps } from "../view.ts";
import { TaskActions } from "./task-actions.tsx";
import { TaskStateBadge } from "./task-state.tsx";
import { transcriptPath } from "./transcript-path.ts";
import { TurnTranscript } from "./turn-transcript.tsx";
import { useRunSources } from "./use-run-sources.ts";

/** Everything that was said in a conversation, turn by turn. It is read from its messages, and followed while a turn runs. */
export const Transcript = ({ params }: ViewProps) => {
  const engine = params["engine"] ?? "";
  const task = params["task"] ?? "";
  const calls = useMemo(() => engineCalls(engine), [engine]);
  const side = useSide(calls, useTasks(engine, "false"), task);
  const sources = useRunSources(engine, task);
  const { run } = useAction();
  if (engineById(engine) === null) return <NoEngine />;
  if (side === null || !side.conversation.isRead)
    return (
      <p class="dim" aria-busy="true">
        Reading the conversation
      </p>
    );
  const { record, conversation, reload } = side;
  return (
    <>
      {record !== null && <TaskFacts engine={engine} calls={calls} record={record} onChanged={reload} />}
      {conversation.before !== null && (
        <p>
          <button type="button" onClick={() => void run(() => conversation.readEarlier())}>
            Show earlier messages
          </button>
        </p>
      )}
      {conversation.exchanges.length === 0 && (
        <Empty title="This conversation has no message.">
          <p>
            <a href={linkTo(`/engines/${engine}/conversations`)}>All conversations</a>
          </p>
        </Empty>
      )}
      <div class="transcript">
        {conversation.exchanges.map((exchange) => (
          <TurnTranscript
            key={exchange.turnId}
            engine={engine}
            calls={calls}
            exchange={exchange}
            source={sources.get(exchange.turnId ?? "")}
          />
        ))}
      </div>
    </>
  );
};

interface FactsProps {
  readonly engine: string;
  readonly calls: EngineClient;
  readonly record: TaskRecord;
  readonly onChanged: () => void;
}

const TaskFacts = ({ engine, calls, record, onChanged }: FactsProps) => {
  const { task_id: task, title, state, agent, message_count, usage, created_at, last_active_at, parent } = record;
  const { input_tokens: input, output_tokens: output, cache_hit_tokens: cached } = usage;
  return (
    <section class="panel" aria-label="The conversation">
      <div class="section-head">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        <TaskStateBadge state={state} />
        <TaskActions
          calls={calls}
          record={record}
          onChanged={onChanged}
          onDeleted={() => navigate(`/engines/${engine}/conversations`)}
        />
      </div>
      <p class="dim">
        <code>
          <bdi>{task}</bdi>
        </code>{" "}
        · <a href={linkTo(taskPath(engine, task))}>Continue in the playground</a> ·{" "}
        <a href={linkTo(`/engines/${engine}/turns?task=${encodeURIComponent(task)}`)}>Its turns</a>
        {parent !== null && (
          <>
            {" "}
            · forked from{" "}
            <a href={linkTo(transcriptPath(engine, parent.task_id))}>
              <bdi>{parent.task_id}</bdi>
            </a>
          </>
        )}
      </p>
      <dl class="facts inline">
        <Fact name="Began">
          <Clock at={created_at} />
        </Fact>
        <Fact name="Last active">
          <Clock at={last_active_at} />
        </Fact>
        <Fact name="Agent">{agent}</Fact>
        <Fact name="Messages">{formatCount(message_count)}</Fact>
        <Fact name="Tokens">
          {formatCount(input)} in ({formatCount(cached)} cached), {formatCount(output)} out
        </Fact>
      </dl>
    </section>
  );
};
