import type { EngineClient } from "@orchd/client";
import { useAction } from "../../parts/action.ts";
import { AnswerForm, optionWords } from "../../parts/answer-form.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";
import type { QuestionStep, Step, ToolStep } from "../../live/turn-steps.ts";

interface StepProps {
  readonly step: Step;
  readonly calls: EngineClient;
  readonly isOver: boolean;
}

/** One step of a turn. A question is answered here. */
export const StepView = ({ step, calls, isOver }: StepProps) => {
  switch (step.kind) {
    case "text":
      return (
        <div class="answer">
          <Markdown text={step.text} isGrowing={step.toMs === null} />
        </div>
      );
    case "thinking":
      return (
        <details class="thinking" open={step.toMs === null}>
          <summary>Thinking</summary>
          <Markdown text={step.text} isGrowing={step.toMs === null} />
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
  const { isBusy, run } = useAction();
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
        <p class="dim">{answer === null ? "It was not answered." : `Answer: ${optionWords(answer, isPermission)}`}</p>
      )}
      {isOpen && (
        <AnswerForm
          options={options}
          isPermission={isPermission}
          allowsText={allowsText}
          isBusy={isBusy}
          onAnswer={(chosen) => void run(() => calls.respond(id, chosen))}
        />
      )}
    </div>
  );
};
