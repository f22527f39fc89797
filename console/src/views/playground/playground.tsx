import type { EngineRecord } from "@orchd/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { epoch } from "../../live/connection.ts";
import { engineById } from "../../live/engine.ts";
import { oncePerFrame } from "../../live/follow-turn.ts";
import { asProblem } from "../../parts/problem.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { notify } from "../../parts/notices.tsx";
import { address, linkTo, navigate } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { mayChange } from "../../session/session.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.ts";
import { ExchangeView } from "./exchange-view.tsx";

const FIRST_TASK = "playground";

/** A conversation with an engine. Another one has another task id in the address. */
export const Playground = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  const task = address.value.query.get("task") ?? FIRST_TASK;
  return engine === null ? <NoEngine /> : <Chat key={task} engine={engine} task={task} />;
};

const Chat = ({ engine: { id, url }, task }: { readonly engine: EngineRecord; readonly task: string }) => {
  const calls = useRef(engineCalls(id)).current;
  const conversation = useConversation(id, task);
  const { run } = useAction();
  const end = useRef<HTMLDivElement>(null);
  const exchanges = conversation?.exchanges ?? [];
  const last = exchanges.at(-1);
  const isBusy = last !== undefined && last.problem === null && !last.steps.isOver;
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [exchanges.length, last?.steps.events]);
  const sandbox = useResource((signal) => runsSandbox(id, signal), [id]);
  return (
    <div class="chat">
      <header class="controls">
        <span class="dim">
          Conversation{" "}
          <code>
            <bdi>{task}</bdi>
          </code>
        </span>
        <button
          type="button"
          class="small"
          onClick={() => navigate(`/engines/${id}/playground?task=${FIRST_TASK}-${Date.now().toString(36)}`)}
        >
          New conversation
        </button>
        <a href={linkTo(`/engines/${id}/turns?task=${encodeURIComponent(task)}`)}>Its turns</a>
      </header>
      <div class="exchanges" role="log" aria-label="Conversation">
        {exchanges.length === 0 && <Empty title="Nothing was said yet. Write a message below." />}
        {exchanges.map((exchange, index) => (
          <ExchangeView key={exchange.turnId ?? `new-${index}`} exchange={exchange} engine={id} calls={calls} />
        ))}
        <div ref={end} class="end" />
      </div>
      {mayChange() ? (
        <Composer
          url={url}
          taskId={task}
          isBusy={isBusy}
          isSandbox={sandbox.data !== false}
          onSend={(content, options) => void conversation?.send(content, options)}
          onCancel={() => void run(() => conversation?.cancel() ?? Promise.resolve(), "The turn is cancelled.")}
        />
      ) : (
        <p class="dim">A read-only session sends no messages.</p>
      )}
    </div>
  );
};

/** The stored conversation, followed by live events. */
function useConversation(engineId: string, taskId: string): Conversation | null {
  const [conversation, setConversation] = useState<Conversation | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => {
    const changed = oncePerFrame(() => setVersion((version) => version + 1));
    const opened = new Conversation({ calls: engineCalls(engineId), taskId, changed });
    setConversation(opened);
    return () => {
      opened.close();
      changed.cancel();
    };
  }, [engineId, taskId]);
  useEffect(() => {
    // At first, and after each lost connection.
    conversation?.resume().catch((error: unknown) => notify("problem", asProblem(error).message));
  }, [conversation, epoch.value]);
  return conversation;
}

/** By its last turn; null for an engine without one. */
async function runsSandbox(engineId: string, signal: AbortSignal): Promise<boolean | null> {
  const calls = engineCalls(engineId);
  const [last] = (await calls.listTurns({ limit: 1, signal })).items;
  if (last === undefined) return null;
  const [call] = (await calls.modelRequests(last.turn_id, { signal })).requests;
  return call === undefined ? null : call.provider === "sandbox";
}
