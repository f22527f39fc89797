import type { EngineClient } from "@orchd/client";
import { useState } from "preact/hooks";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { linkTo } from "../../routing/address.ts";
import { type Exchange, saidIn, stepsOf } from "./exchange.ts";
import { EditMessage } from "./edit-message.tsx";
import { StepView } from "./step-view.tsx";
import { Said, TurnProgress } from "./turn-parts.tsx";

export interface ExchangeActions {
  /** Sends the message again with another text. */
  readonly edit: (exchange: Exchange, text: string) => void;
  readonly regenerate: (exchange: Exchange) => void;
  readonly fork: (exchange: Exchange) => void;
  /** Asks what shall become of the files, and takes the conversation back to before it. */
  readonly rewind: (exchange: Exchange) => void;
}

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly engine: string;
  readonly calls: EngineClient;
  readonly isLast: boolean;
  /** Whether a turn of the conversation runs. */
  readonly isBusy: boolean;
  readonly actions: ExchangeActions;
}

/** A message and its answer: thinking, text, tool calls and questions, in their order. */
export const ExchangeView = ({ exchange, engine, calls, isLast, isBusy, actions }: ExchangeProps) => {
  const { message, turnId, problem } = exchange;
  const steps = stepsOf(exchange);
  const [isEdited, setEdited] = useState(false);
  return (
    <article class="exchange">
      {isEdited ? (
        <EditMessage
          key="edit"
          text={message}
          action="Send again"
          note={`What came after it leaves the conversation.${steps.files.length > 0 ? " Its files are not sent again." : ""}`}
          onSend={(text) => actions.edit(exchange, text)}
          onClose={() => setEdited(false)}
        />
      ) : (
        <Said key="said" message={message} files={steps.files} />
      )}
      {steps.steps.map((step) => (
        <StepView key={step.seq} step={step} calls={calls} isOver={steps.isOver} />
      ))}
      {problem !== null && <ProblemNote problem={problem} />}
      <p key="end" class="dim exchange-end">
        <TurnProgress steps={steps.steps} isRunning={!steps.isOver && problem === null} usage={steps.usage} />
        {turnId !== null && <a href={linkTo(`/engines/${engine}/turns/${turnId}`)}>Open the turn</a>}
        {steps.isOver && saidIn(exchange) !== undefined && (
          <>
            <button
              type="button"
              class="small quiet"
              disabled={isBusy}
              aria-expanded={isEdited}
              onClick={() => setEdited(!isEdited)}
            >
              Edit
            </button>
            {isLast && (
              <button type="button" class="small quiet" disabled={isBusy} onClick={() => actions.regenerate(exchange)}>
                Regenerate
              </button>
            )}
            <button type="button" class="small quiet" onClick={() => actions.fork(exchange)}>
              Fork from here
            </button>
            <button type="button" class="small quiet" disabled={isBusy} onClick={() => actions.rewind(exchange)}>
              Rewind
            </button>
          </>
        )}
      </p>
    </article>
  );
};
