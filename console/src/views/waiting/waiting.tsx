import type { QuestionRecord } from "@orchd/client";
import { useRef } from "preact/hooks";
import { slugOf } from "../../live/fleet.ts";
import { QUESTIONS_SHOWN, loadQuestions, questions, questionsProblem } from "../../live/questions.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { address, setQuery } from "../../routing/address.ts";
import { QuestionCard } from "./question-card.tsx";

/** Every question and permission prompt that a turn waits for, of all users and products, answered here. */
export const Waiting = () => {
  const list = useRef<HTMLUListElement>(null);
  const text = address.value.query.get("q") ?? "";
  const all = questions.value;
  const shown = all?.filter((question) => fits(question, text.trim().toLowerCase())) ?? [];
  // The focus of the answered one would be lost. The next one takes its place.
  const focusAt = (nth: number) => {
    const headings = list.current?.querySelectorAll<HTMLElement>("h2");
    (headings?.[Math.min(nth, headings.length - 1)] ?? document.querySelector<HTMLElement>("h1"))?.focus();
  };
  return (
    <>
      <h1 tabIndex={-1}>Waiting for a person</h1>
      <div class="controls" role="search">
        <SearchField
          placeholder="Search user, product or question"
          label="Search questions"
          value={text}
          onInput={(q) => setQuery({ q })}
        />
      </div>
      {questionsProblem.value !== null && (
        <ProblemNote problem={questionsProblem.value} onRetry={() => void loadQuestions()} />
      )}
      {shown.length > 0 ? (
        <ul ref={list} class="inbox" aria-label="Open questions">
          {shown.map((question, nth) => (
            <li key={question.request_id}>
              <QuestionCard question={question} onAnswered={() => focusAt(nth)} />
            </li>
          ))}
        </ul>
      ) : (
        all !== null && (
          <Empty title={all.length === 0 ? "No turn waits for a person." : "No open question fits this search."}>
            {all.length === 0 && <p>Questions of agents and permission prompts of all users appear here.</p>}
          </Empty>
        )
      )}
      {all?.length === QUESTIONS_SHOWN && (
        <p class="dim">The oldest {QUESTIONS_SHOWN} are shown. Those that are answered make place for others.</p>
      )}
    </>
  );
};

const fits = ({ user_id, product_id, question, title }: QuestionRecord, text: string): boolean =>
  text === "" || [user_id, slugOf(product_id), question, title].some((value) => value.toLowerCase().includes(text));
