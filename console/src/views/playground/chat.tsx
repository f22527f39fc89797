import type { EngineClient, MessageContent, TaskRecord } from "@orchd/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { epoch } from "../../live/connection.ts";
import { oncePerFrame } from "../../live/follow-turn.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { notify } from "../../parts/notices.tsx";
import { asProblem } from "../../parts/problem.ts";
import { navigate, setQuery } from "../../routing/address.ts";
import { Composer, type Later } from "./composer.tsx";
import { Conversation, isRunning, stepsOf } from "./conversation.ts";
import { type ExchangeActions, ExchangeView } from "./exchange-view.tsx";
import { taskPath } from "./task-path.ts";
import { WaitingMessages } from "./waiting-messages.tsx";

interface ChatProps {
  readonly engine: string;
  readonly url: string;
  readonly calls: EngineClient;
  readonly task: string;
  /** What changes when another client has changed the conversation. */
  readonly record: TaskRecord | null;
}

/** What was said in a conversation, and where the next message is written. */
export const Chat = ({ engine, url, calls, task, record }: ChatProps) => {
  const conversation = useConversation(calls, task, record);
  const { run } = useAction();
  const [thinking, setThinking] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  const exchanges = conversation?.exchanges ?? [];
  const last = exchanges.at(-1);
  const isBusy = exchanges.some(isRunning);
  useEffect(
    () => end.current?.scrollIntoView({ block: "nearest" }),
    [last?.turnId, last === undefined ? 0 : stepsOf(last).events],
  );
  const sandbox = useResource((signal) => runsSandbox(calls, signal), [engine]);
  const send = async (message: MessageContent, text: string, whenBusy: Later | null) => {
    if (conversation === null) return false;
    // A new conversation gets an address.
    setQuery({ task });
    if (whenBusy !== null) return run(() => conversation.sendLater(text, { message, whenBusy, thinking }));
    // Its failure is shown with the message.
    void conversation.send(text, { message, thinking });
    return true;
  };
  const actions: ExchangeActions = {
    edit: (exchange, text) => void run(async () => conversation?.edit(exchange, text, { thinking })),
    regenerate: (exchange) => void run(async () => conversation?.regenerate(exchange, { thinking })),
    fork: (exchange) =>
      void run(async () => {
        if (conversation !== null) navigate(taskPath(engine, await conversation.fork(exchange)));
      }),
  };
  return (
    <>
      <div class="exchanges" role="log" aria-label="Conversation">
        {conversation !== null && conversation.before !== null && (
          <p>
            <button type="button" onClick={() => void run(() => conversation.readEarlier())}>
              Show earlier messages
            </button>
          </p>
        )}
        {exchanges.length === 0 && <Empty title="Nothing was said yet. Write a message below." />}
        {exchanges.map((exchange, index) => (
          <ExchangeView
            key={exchange.turnId ?? `new-${index}`}
            exchange={exchange}
            engine={engine}
            calls={calls}
            isLast={exchange === last}
            isBusy={isBusy}
            actions={actions}
          />
        ))}
        <div ref={end} class="end" />
      </div>
      <div class="composer">
        {conversation !== null && <WaitingMessages conversation={conversation} />}
        <Composer
          url={url}
          taskId={task}
          isBusy={isBusy}
          isSandbox={sandbox.data !== false}
          thinking={thinking}
          onThinking={setThinking}
          onSend={send}
          onCancel={() => void run(() => calls.cancel(task), "The turn is cancelled.")}
        />
      </div>
    </>
  );
};

/** The stored conversation, followed by live events. */
function useConversation(calls: EngineClient, taskId: string, record: TaskRecord | null): Conversation | null {
  const [conversation, setConversation] = useState<Conversation | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => {
    const changed = oncePerFrame(() => setVersion((version) => version + 1));
    const opened = new Conversation({ calls, taskId, changed });
    setConversation(opened);
    return () => {
      opened.close();
      changed.cancel();
    };
  }, [calls, taskId]);
  useEffect(() => {
    // At first, after each lost connection, and when the engine or another client goes on with it.
    conversation?.refresh().catch((error: unknown) => {
      if (!conversation.isClosed) notify("problem", asProblem(error).message);
    });
  }, [conversation, epoch.value, record?.last_active_at, record?.message_count, record?.state]);
  return conversation;
}

/** By its last turn; null for an engine without one. */
async function runsSandbox(calls: EngineClient, signal: AbortSignal): Promise<boolean | null> {
  const [last] = (await calls.listTurns({ limit: 1, signal })).items;
  if (last === undefined) return null;
  const [call] = (await calls.modelRequests(last.turn_id, { signal })).requests;
  return call === undefined ? null : call.provider === "sandbox";
}
