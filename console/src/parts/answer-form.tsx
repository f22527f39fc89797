import { useState } from "preact/hooks";

interface AnswerFormProps {
  readonly options: readonly string[];
  readonly isPermission: boolean;
  readonly allowsText: boolean;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: string) => void;
}

/** An option as people read it. */
export const optionWords = (option: string, isPermission: boolean): string =>
  isPermission ? option.replaceAll("_", " ") : option;

/** The answers to a question: one button each, and a field where other text is allowed. */
export const AnswerForm = ({ options, isPermission, allowsText, isBusy, onAnswer }: AnswerFormProps) => {
  const [text, setText] = useState("");
  return (
    <form
      class="controls answers"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onAnswer(text);
      }}
    >
      {options.map((option) => (
        <button key={option} type="button" disabled={isBusy} onClick={() => onAnswer(option)}>
          {optionWords(option, isPermission)}
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
  );
};
