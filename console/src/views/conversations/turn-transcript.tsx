import type { EngineClient } from "@orchd/client";
import { Clock } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { type Exchange, stepsOf } from "../playground/exchange.ts";
import { StepView } from "../playground/step-view.tsx";
import { Attached, Said, TurnProgress } from "../playground/turn-parts.tsx";
import { RunLink } from "./run-link.tsx";
import type { RunSource } from "./use-run-sources.ts";

interface TurnProps {
  readonly engine: string;
  readonly calls: EngineClient;
  readonly exchange: Exchange;
  readonly source: RunSource | undefined;
}

/** One turn of a conversation: who said what, its tools and questions, and what it cost. */
export const TurnTranscript = ({ engine, calls, exchange, source }: TurnProps) => {
  const { message, turnId, stored } = exchange;
  const { steps, files, usage, isOver } = stepsOf(exchange);
  const at = stored[0]?.created_at;
  return (
    <article class="panel exchange">
      <p class="dim exchange-end">
        {at !== undefined && <Clock at={at} />}
        {turnId !== null && <a href={linkTo(`/engines/${engine}/turns/${turnId}`)}>Open the turn</a>}
        {source !== undefined && (
          <span>
            Sent by <RunLink engine={engine} source={source} />
          </span>
        )}
        <TurnProgress steps={steps} isRunning={!isOver} usage={usage} />
      </p>
      <Said message={message} files={files} />
      {steps.map((step) => (
        <div key={step.seq} class="exchange">
          <StepView step={step} calls={calls} isOver={isOver} />
          {step.kind === "tool" && <Attached files={step.files} />}
        </div>
      ))}
    </article>
  );
};
