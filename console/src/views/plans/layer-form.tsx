import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { ENGINE_POLICY_FIELDS, type EnginePolicyField } from "../../../../src/contract/orchestrator/engine-policy.ts";
import { TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { asProblem, fieldProblem } from "../../parts/problem.ts";
import { PolicyFieldInput } from "../products/policy-field.tsx";
import {
  type Inputs,
  LIMITS,
  type Layer,
  WARN_INPUT,
  formField,
  inputsOf,
  labelOf,
  limitInput,
  readLayer,
  setFields,
} from "./layer-fields.ts";

interface LayerFormProps {
  readonly layer: Layer;
  /** What a field has when it is not set here: the value with which its form begins. */
  readonly below: Layer;
  /** Said when no field is set. */
  readonly empty: string;
  readonly mayChange: boolean;
  readonly action: string;
  readonly save: (layer: Layer) => Promise<unknown>;
  readonly children?: ComponentChildren;
}

const initialInputs = (layer: Layer): Inputs =>
  Object.assign({}, ...setFields(layer).map((name) => inputsOf(name, layer))) as Inputs;

/** The fields that a plan or an engine sets. The others are left to what comes after it. */
export const LayerForm = ({ layer, below, empty, mayChange, action, save, children }: LayerFormProps) => {
  const [names, setNames] = useState(setFields(layer));
  const [inputs, setInputs] = useState<Inputs>(initialInputs(layer));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const add = (name: EnginePolicyField) => {
    setNames((known) => ENGINE_POLICY_FIELDS.filter((one) => one === name || known.includes(one)));
    setInputs((known) => ({ ...known, ...inputsOf(name, below) }));
  };
  const remove = (name: EnginePolicyField) => setNames((known) => known.filter((one) => one !== name));
  const submit = async () => {
    const read = readLayer(names, inputs);
    setProblems("problems" in read ? read.problems : {});
    if ("problems" in read) return;
    setBusy(true);
    try {
      await save(read.layer);
    } catch (error) {
      const failure = asProblem(error);
      const named = fieldProblem(failure);
      const input = named === null ? null : inputNamed(named.field, names);
      if (named !== null && input !== null) setProblems({ [input]: named.text });
      else notify("problem", `${failure.message} (${failure.code})`);
    }
    setBusy(false);
  };
  const shared = { inputs, problems, onInput: (changed: Inputs) => setInputs((known) => ({ ...known, ...changed })) };
  return (
    <form
      class="policy"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset class="layer" disabled={!mayChange}>
        <legend class="sr-only">What is set</legend>
        {names.length === 0 && <p class="dim">{empty}</p>}
        {names.map((name) => (
          <div key={name}>
            <FieldInputs name={name} {...shared} />
            {mayChange && (
              <button type="button" class="small" onClick={() => remove(name)} aria-label={`Remove ${labelOf(name)}`}>
                Remove
              </button>
            )}
          </div>
        ))}
      </fieldset>
      {mayChange && (
        <>
          <AddField names={names} onAdd={add} />
          <div class="form-actions">
            <button type="submit" class="primary" disabled={isBusy}>
              {action}
            </button>
            {children}
          </div>
        </>
      )}
    </form>
  );
};

/** The input for a field that the daemon names, such as `policy.tool_network.3`. */
function inputNamed(named: string, names: readonly EnginePolicyField[]): string | null {
  const path = named.replace(/^policy\./, "");
  if (path.startsWith("budgets.") && names.includes("budgets"))
    return path === WARN_INPUT ? path : limitInput(path.split(".")[2] ?? "");
  return names.find((name) => name === path.split(".")[0]) ?? null;
}

interface FieldInputsProps {
  readonly name: EnginePolicyField;
  readonly inputs: Inputs;
  readonly problems: Readonly<Record<string, string>>;
  readonly onInput: (changed: Inputs) => void;
}

const FieldInputs = ({ name, inputs, problems, onInput }: FieldInputsProps) => {
  const field = formField(name);
  if (field !== undefined)
    return (
      <PolicyFieldInput
        field={field}
        input={inputs[name] ?? ""}
        problem={problems[name]}
        onInput={(input) => onInput({ [name]: input })}
      />
    );
  const limit = (input: string) => ({
    value: String(inputs[input] ?? ""),
    problem: problems[input] ?? null,
    inputMode: "decimal" as const,
    onInput: (value: string) => onInput({ [input]: value }),
  });
  return (
    <div class="field">
      <span class="label">Budgets of an engine</span>
      <div class="fields">
        {LIMITS.map(([name, label]) => (
          <TextField key={name} label={label} placeholder="no limit" {...limit(limitInput(name))} />
        ))}
        <TextField label="Warn at" unit="%" placeholder="as the policy" {...limit(WARN_INPUT)} />
      </div>
      <p class="hint">
        They replace all limits of one engine that the policy has. With a limit of costs, a model without a price is
        refused.
      </p>
    </div>
  );
};

interface AddFieldProps {
  readonly names: readonly EnginePolicyField[];
  readonly onAdd: (name: EnginePolicyField) => void;
}

const AddField = ({ names, onAdd }: AddFieldProps) => {
  const id = useId();
  const select = useRef<HTMLSelectElement>(null);
  const left = ENGINE_POLICY_FIELDS.filter((name) => !names.includes(name));
  if (left.length === 0) return null;
  return (
    <div class="controls">
      <label for={id}>Another field</label>
      <select id={id} ref={select}>
        {left.map((name) => (
          <option key={name} value={name}>
            {labelOf(name)}
          </option>
        ))}
      </select>
      <button
        type="button"
        onClick={() => {
          const name = left.find((one) => one === select.current?.value);
          if (name !== undefined) onAdd(name);
        }}
      >
        Set it
      </button>
    </div>
  );
};
