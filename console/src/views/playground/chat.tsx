import type { EngineClient } from "@orchd/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { Empty } from "../../parts/empty.tsx";
import { navigate } from "../../routing/address.ts";
import type { TurnOptions } from "./choice.ts";
import { type Exchange, stepsOf } from "./exchange.ts";
import { type ExchangeActions, ExchangeView } from "./exchange-view.tsx";
import { Rewind } from "./rewind.tsx";
import { taskPath } from "./task-path.ts";
import type { Side } from "./use-side.ts";
import { WaitingMessages } from "./waiting-messages.tsx";

interface ChatProps {
  readonly engine: string;
  readonly calls: EngineClient;
  readonly side: Side;
  readonly label: string;
  readonly options: TurnOptions;
  /** Called with a message that left the conversation. */
  readonly onRewound: (message: string) => void;
  /** What stands above it. */
  readonly children: ComponentChildren;
}

/** What was said in a conversation, and the messages that wait. */
export const Chat = ({ engine, calls, side, label, options, onRewound, children }: ChatProps) => {
  const { conversation, isBusy } = side;
  const { run } = useAction();
  const [rewound, setRewound] = useState<Exchange | null>(null);
  const end = useRef<HTMLDivElement>(null);
  const { exchanges } = conversation;
  const last = exchanges.at(-1);
  useEffect(
    () => end.current?.scrollIntoView({ block: "nearest" }),
    [last?.turnId, last === undefined ? 0 : stepsOf(last).events],
  );
  const actions: ExchangeActions = {
    edit: (exchange, text) => void run(() => conversation.edit(exchange, text, options)),
    regenerate: (exchange) => void run(() => conversation.regenerate(exchange, options)),
    fork: (exchange) => void run(async () => navigate(taskPath(engine, await conversation.fork(exchange)))),
    rewind: setRewound,
  };
  return (
    <div class="side-chat">
      {children}
      <div class="exchanges" role="log" aria-label={label}>
        {conversation.before !== null && (
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
      <WaitingMessages conversation={conversation} />
      {rewound !== null && (
        <Rewind conversation={conversation} exchange={rewound} onDone={onRewound} onClose={() => setRewound(null)} />
      )}
    </div>
  );
};
