import { CheckField, ChoiceField, TextField } from "../../parts/field.tsx";
import type { FieldInput, FormField } from "./policy-fields.ts";

interface FieldProps {
  readonly field: FormField;
  readonly input: FieldInput;
  readonly problem: string | undefined;
  readonly onInput: (input: FieldInput) => void;
}

/** The input of one field of a policy. */
export const PolicyFieldInput = ({ field, input, problem, onInput }: FieldProps) => {
  const { label, hint, unit, value } = field;
  const isLong = ["network", "list", "models", "tool_hook"].includes(value.kind);
  if (typeof input === "boolean")
    return <CheckField label={label} hint={hint} problem={problem} isChecked={input} onChange={onInput} />;
  if (value.kind === "choices" && typeof input !== "string")
    return <Choices {...{ label, hint, problem, onInput }} values={value.values} chosen={input} />;
  if (value.kind === "choice") {
    const choices = value.values.map((choice) => [choice, choice] as const);
    return <ChoiceField {...{ label, hint, problem, choices }} value={String(input)} onChange={onInput} />;
  }
  return (
    <TextField
      label={label}
      hint={hint}
      problem={problem}
      value={String(input)}
      onInput={onInput}
      isLong={isLong}
      isCode={isLong}
      {...(value.kind === "integer" && { inputMode: "numeric" as const, ...(unit !== undefined && { unit }) })}
    />
  );
};

interface ChoicesProps extends Omit<FieldProps, "field" | "input"> {
  readonly label: string;
  readonly hint: string;
  readonly values: readonly string[];
  readonly chosen: readonly string[];
}

const Choices = ({ label, hint, values, chosen, onInput, problem }: ChoicesProps) => (
  <div class="field choices" role="group" aria-label={label}>
    <span class="label">{label}</span>
    <div class="choice-list">
      {values.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ currentTarget }) =>
              onInput(values.filter((other) => (other === choice ? currentTarget.checked : chosen.includes(other))))
            }
          />
          {choice.replace("_", " ")}
        </label>
      ))}
    </div>
    <p class="hint">{hint}</p>
    {problem !== undefined && <p class="field-problem">{problem}</p>}
  </div>
);
