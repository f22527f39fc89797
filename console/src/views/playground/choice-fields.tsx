import { useId } from "preact/hooks";
import { type Choice, EFFORTS, type SideName, writeChoice } from "./choice.ts";

interface ChoiceProps {
  readonly side: SideName;
  readonly choice: Choice;
  readonly agents: readonly string[];
  readonly models: readonly string[];
}

/** Which agent and model answer the next message. */
export const ChoiceFields = ({ side, choice, agents, models }: ChoiceProps) => {
  const id = useId();
  // One that the catalog no longer has stays visible.
  const names = choice.agent === "" || agents.includes(choice.agent) ? agents : [choice.agent, ...agents];
  return (
    <div class="controls choice" role="group" aria-label={side === "a" ? "What answers" : "What answers at B"}>
      <label>
        Agent
        <select value={choice.agent} onChange={({ currentTarget: { value } }) => writeChoice(side, { agent: value })}>
          <option value="">Default</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <input
          type="text"
          class="code"
          list={`${id}-models`}
          placeholder="of the agent"
          spellcheck={false}
          autocomplete="off"
          value={choice.model}
          onInput={({ currentTarget: { value } }) => writeChoice(side, { model: value })}
        />
        <datalist id={`${id}-models`}>
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Effort
        <select
          value={choice.effort}
          onChange={({ currentTarget: { value } }) =>
            writeChoice(side, { effort: EFFORTS.find((name) => name === value) ?? "" })
          }
        >
          <option value="">Default</option>
          {EFFORTS.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="check-label">
        <input
          type="checkbox"
          checked={choice.thinking}
          onChange={({ currentTarget: { checked } }) => writeChoice(side, { thinking: checked })}
        />
        Thinking
      </label>
    </div>
  );
};
