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
  const shown = { label, hint, problem };
  const text = { ...shown, value: String(input), onInput };
  switch (value.kind) {
    case "switch":
      return <CheckField {...shown} isChecked={input === true} onChange={onInput} />;
    case "choices":
      return (
        <Choices {...shown} values={value.values} chosen={typeof input === "object" ? input : []} onInput={onInput} />
      );
    case "choice": {
      const choices = value.values.map((choice) => [choice, choice] as const);
      return <ChoiceField {...shown} choices={choices} value={String(input)} onChange={onInput} />;
    }
    case "integer":
      return <TextField {...text} inputMode="numeric" {...(unit !== undefined && { unit })} />;
    case "ports":
      return <TextField {...text} />;
    case "network":
    case "list":
    case "models":
    case "tool_hook":
      return <TextField {...text} isLong isCode />;
    default:
      return value satisfies never;
  }
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
