import type { EngineClient } from "@orchd/client";
import { useState } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { linkTo } from "../../routing/address.ts";
import { mayChange } from "../../session/session.ts";
import type { QuestionStep, Step, ToolStep } from "../../live/turn-steps.ts";
import { type Exchange, stepsOf } from "./conversation.ts";

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly engine: string;
  readonly calls: EngineClient;
}

/** A message and its answer: thinking, text, tool calls and questions, in their order. */
export const ExchangeView = ({ exchange, engine, calls }: ExchangeProps) => {
  const { message, turnId, problem } = exchange;
  const steps = stepsOf(exchange);
  return (
    <article class="exchange">
      {(message !== "" || steps.files.length > 0) && (
        <p class="said">
          <bdi>{message}</bdi>
          {steps.files.map(({ name, path }) => (
            <span key={path} class="file">
              {name ?? path}
            </span>
          ))}
        </p>
      )}
      {steps.steps.map((step) => (
        <StepView key={step.seq} step={step} calls={calls} isOver={steps.isOver} />
      ))}
      {problem !== null && <ProblemNote problem={problem} />}
      <p class="dim exchange-end">
        {!steps.isOver && problem === null && (
          <span>{isWaiting(steps.steps) ? "Waits for an answer. " : "Working… "}</span>
        )}
        {steps.usage !== null &&
          `${steps.usage.input_tokens.toLocaleString("en")} tokens in, ${steps.usage.output_tokens.toLocaleString("en")} out `}
        {turnId !== null && <a href={linkTo(`/engines/${engine}/turns/${turnId}`)}>Open the turn</a>}
      </p>
    </article>
  );
};

const isWaiting = (steps: readonly Step[]): boolean =>
  steps.some((step) => step.kind === "question" && step.answer === null);

interface StepProps {
  readonly step: Step;
  readonly calls: EngineClient;
  readonly isOver: boolean;
}

const StepView = ({ step, calls, isOver }: StepProps) => {
  switch (step.kind) {
    case "text":
      return (
        <p class="answer">
          <bdi>{step.text}</bdi>
        </p>
      );
    case "thinking":
      return (
        <details class="thinking" open={step.toMs === null}>
          <summary>Thinking</summary>
          <bdi>{step.text}</bdi>
        </details>
      );
    case "tool":
      return <ToolView step={step} />;
    case "question":
      return <Question step={step} calls={calls} isOver={isOver} />;
    case "error":
      return (
        <p class="callout problem" role="alert">
          {step.text}
        </p>
      );
    case "said":
      return (
        <p class="said">
          <bdi>{step.text}</bdi>
        </p>
      );
    case "note":
    case "compaction":
      return <p class="dim">{step.text}</p>;
    default:
      return step satisfies never;
  }
};

const ToolView = ({ step }: { readonly step: ToolStep }) => (
  <details class="tool">
    <summary>
      <code>{step.tool}</code>{" "}
      <span class={step.error === null ? "dim" : "field-problem"}>
        {step.error ?? (step.toMs === null ? "runs" : "done")}
      </span>
    </summary>
    <JsonTree name="input" value={step.input} />
    {step.error === null && step.toMs !== null && <JsonTree name="output" value={step.output} />}
  </details>
);

/** A question to a person, or a permission prompt, answered here. */
const Question = ({
  step: { id, question, isPermission, options, allowsText, answer },
  calls,
  isOver,
}: {
  readonly step: QuestionStep;
  readonly calls: EngineClient;
  readonly isOver: boolean;
}) => {
  const [text, setText] = useState("");
  const { isBusy, run } = useAction();
  const reply = (chosen: string) => void run(() => calls.respond(id, chosen));
  const isOpen = answer === null && !isOver;
  return (
    <div
      class={`callout question ${isOpen ? "open" : ""}`}
      role="group"
      aria-label={isPermission ? "Permission" : "Question"}
    >
      <p>
        <bdi>{question}</bdi>
      </p>
      {!isOpen && (
        <p class="dim">
          {answer === null ? "It was not answered." : `Answer: ${isPermission ? answer.replaceAll("_", " ") : answer}`}
        </p>
      )}
      {isOpen && mayChange() && (
        <form
          class="controls"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "") reply(text);
          }}
        >
          {options.map((option) => (
            <button key={option} type="button" disabled={isBusy} onClick={() => reply(option)}>
              {isPermission ? option.replaceAll("_", " ") : option}
            </button>
          ))}
          {allowsText && (
            <>
              <input
                type="text"
                aria-label="Your answer"
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
              />
              <button type="submit" disabled={isBusy}>
                Answer
              </button>
            </>
          )}
        </form>
      )}
    </div>
  );
};
