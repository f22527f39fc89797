import type { AttachmentRecord, EngineClient } from "@orchd/client";
import type { Step } from "../../live/turn-steps.ts";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { Clock } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { type Exchange, stepsOf } from "../playground/exchange.ts";
import { StepView } from "../playground/step-view.tsx";
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
        {!isOver && <span>{isAsking(steps) ? "Waits for an answer" : "Working…"}</span>}
        {usage !== null && (
          <span>
            {formatCount(usage.input_tokens)} tokens in ({formatCount(usage.cache_hit_tokens)} cached),{" "}
            {formatCount(usage.output_tokens)} out
          </span>
        )}
      </p>
      {(message !== "" || files.length > 0) && (
        <div class="said">
          <bdi>{message}</bdi>
          {files.map((file) => (
            <Attached key={file.path} file={file} />
          ))}
        </div>
      )}
      {steps.map((step) => (
        <div key={step.seq} class="exchange">
          <StepView step={step} calls={calls} isOver={isOver} />
          {step.kind === "tool" && step.files.map((file) => <Attached key={file.path} file={file} />)}
        </div>
      ))}
    </article>
  );
};

const isAsking = (steps: readonly Step[]): boolean =>
  steps.some((step) => step.kind === "question" && step.answer === null);

const Attached = ({ file: { name, path, media_type, bytes } }: { readonly file: AttachmentRecord }) => (
  <span class="file">
    <bdi>{name ?? path}</bdi> ({media_type}, {formatBytes(bytes)})
  </span>
);
