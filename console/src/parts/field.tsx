import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly problem?: string | null | undefined;
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly unit?: string;
  readonly inputMode?: "numeric" | "decimal" | "text";
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly isLong?: boolean;
  readonly isCode?: boolean;
  /** What is typed is not shown. */
  readonly isHidden?: boolean;
  readonly autoFocus?: boolean;
}

type InputProps = Omit<InputHTMLAttributes, "type" | "role" | "list">;
const PlainInput = (props: InputProps) => <input {...props} type="text" />;
const HiddenInput = (props: InputProps) => <input {...props} type="password" />;

/** A labelled input with its hint and its problem. */
export const TextField = ({
  label,
  hint,
  problem,
  value,
  onInput,
  unit,
  isLong = false,
  isCode = false,
  isHidden = false,
  autoFocus = false,
  ...rest
}: TextFieldProps) => {
  const id = useId();
  const shared = {
    ...rest,
    id,
    value,
    class: isCode ? "code" : "",
    spellcheck: false,
    autocomplete: "off",
    autofocus: autoFocus,
    "aria-invalid": isProblem(problem),
    "aria-describedby": `${id}-hint ${id}-problem`,
  } as const;
  const Input = isHidden ? HiddenInput : PlainInput;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="input">
        {isLong ? (
          <textarea {...shared} rows={4} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
        ) : (
          <Input {...shared} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
        )}
        {unit !== undefined && <span class="unit">{unit}</span>}
      </div>
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  );
};

interface ChoiceFieldProps extends FieldProps {
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

export const ChoiceField = ({ label, hint, problem, value, choices, onChange }: ChoiceFieldProps) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="input">
        <select
          id={id}
          value={value}
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {choices.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  );
};

interface CheckFieldProps extends FieldProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export const CheckField = ({ label, hint, problem, isChecked, onChange }: CheckFieldProps) => {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Notes id={id} hint={hint} problem={problem} />
    </div>
  );
};

const isProblem = (problem: string | null | undefined): problem is string => problem !== null && problem !== undefined;

const Notes = ({ id, hint, problem }: Pick<FieldProps, "hint" | "problem"> & { readonly id: string }) => (
  <>
    {hint !== undefined && (
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    )}
    {isProblem(problem) && (
      <p id={`${id}-problem`} class="field-problem" role="alert">
        {problem}
      </p>
    )}
  </>
);
