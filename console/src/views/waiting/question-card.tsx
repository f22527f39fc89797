import type { QuestionRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { slugOf } from "../../live/fleet.ts";
import { answerQuestion } from "../../live/questions.ts";
import { useAction } from "../../parts/action.ts";
import { AnswerForm } from "../../parts/answer-form.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { taskPath } from "../playground/task-path.ts";
import { StepsBefore } from "./steps-before.tsx";

interface QuestionCardProps {
  readonly question: QuestionRecord;
  readonly onAnswered: () => void;
}

const KIND = { question: "Question", permission: "Permission", login: "Login" } as const;

/** One question with what it is about, and its answers. */
export const QuestionCard = ({ question, onAnswered }: QuestionCardProps) => {
  const { isBusy, run } = useAction();
  const { kind, context, options, engine_id: engine, task_id: task, title, message } = question;
  const isPermission = kind === "permission";
  const reply = async (answer: string) => {
    if (await run(() => answerQuestion(question, answer), "Answered. The turn goes on.")) onAnswered();
  };
  const place = linkTo(taskPath(engine, task));
  return (
    <article class="panel inbox-card">
      <header class="facts inline dim">
        <span>{KIND[kind]}</span>
        <a href={linkTo(`/engines/${engine}`)}>
          <UserName id={question.user_id} />
        </a>
        <span>{slugOf(question.product_id)}</span>
        <StateBadge state={question.engine_state} />
        <Ago at={question.created_at} />
      </header>
      <h2 tabIndex={-1}>
        <bdi>{question.question}</bdi>
      </h2>
      {isPermission && <Permitted context={context} />}
      {question.is_shortened ? (
        <p>
          It is too long to be shown here whole. <a href={place}>Answer it in its conversation.</a>
        </p>
      ) : kind === "login" ? (
        <p>The user signs in by the link in the conversation, and the turn goes on.</p>
      ) : (
        <AnswerForm
          options={options}
          isPermission={isPermission}
          allowsText={options.length === 0 || context["allow_free_text"] === true}
          isBusy={isBusy}
          onAnswer={(answer) => void reply(answer)}
        />
      )}
      <p class="dim">
        In <a href={place}>{title === "" ? "an untitled conversation" : <bdi>{title}</bdi>}</a>
        {!says(title, message) && (
          <>
            , after: <bdi class="quoted">{message}</bdi>
          </>
        )}
      </p>
      <Before question={question} />
    </article>
  );
};

/** Whether a title is how its message begins, as it is before a model has made one. */
const says = (title: string, message: string): boolean =>
  message.trim().replaceAll(/\s+/g, " ").startsWith(title.replace(/…$/, ""));

/** Nobody permits what is not shown. */
const Permitted = ({ context }: { readonly context: QuestionRecord["context"] }) => {
  const { tool, input } = context;
  return (
    <div class="permitted">
      <code>{String(tool)}</code>
      <JsonTree name="input" value={input} />
    </div>
  );
};

/** Read on request: the events are the engine's, and a sleeping one wakes. */
const Before = ({ question }: { readonly question: QuestionRecord }) => {
  const [isOpen, setOpen] = useState(false);
  const { engine_id: engine, turn_id: turn, engine_state: state } = question;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What the turn did before{state === "sleeping" ? " (wakes the engine)" : ""}</summary>
      {isOpen && <StepsBefore engine={engine} turn={turn} />}
    </details>
  );
};
