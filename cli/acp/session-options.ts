import { type SessionConfigOption, type SessionModeState, RequestError } from "@agentclientprotocol/sdk";
import type { CatalogEntry } from "../../src/client/records.ts";
import { EFFORTS, type Effort } from "../../src/contract/engine/model-choice.ts";

/** What the engine or its agent has chosen. */
const UNSET = "default";
const MODELS = ["main", "planner", "light"];

/** What the user of an editor has selected for a session: the agent as its mode, the model and its effort. */
export class SessionOptions {
  readonly #agents: readonly CatalogEntry[];
  #agent: string;
  #model = UNSET;
  #effort = UNSET;

  constructor(agents: readonly CatalogEntry[], agent: string) {
    this.#agents = agents;
    this.#agent = agent;
  }

  get modes(): SessionModeState {
    return {
      currentModeId: this.#agent,
      availableModes: this.#agents.map(({ name, description }) => ({ id: name, name, description })),
    };
  }

  get configOptions(): SessionConfigOption[] {
    return [
      select("model", { name: "Model", category: "model", value: this.#model, values: [UNSET, ...MODELS] }),
      select("effort", { name: "Effort", category: "thought_level", value: this.#effort, values: [UNSET, ...EFFORTS] }),
    ];
  }

  setAgent(name: string): void {
    this.#agent = one(
      "modeId",
      name,
      this.#agents.map((agent) => agent.name),
    );
  }

  setOption(id: string, value: unknown): void {
    if (id === "model") this.#model = one("value", value, [UNSET, ...MODELS]);
    else if (id === "effort") this.#effort = one("value", value, [UNSET, ...EFFORTS]);
    else throw RequestError.invalidParams({ configId: "expected model or effort" });
  }

  /** What each message of the session asks for. */
  ofTurn(): { readonly agent: string; readonly model?: string; readonly effort?: Effort } {
    return {
      agent: this.#agent,
      ...(this.#model !== UNSET && { model: this.#model }),
      ...(this.#effort !== UNSET && { effort: this.#effort as Effort }),
    };
  }
}

const select = (
  id: string,
  {
    name,
    category,
    value,
    values,
  }: { name: string; category: "model" | "thought_level"; value: string; values: readonly string[] },
): SessionConfigOption => ({
  type: "select",
  id,
  name,
  category,
  currentValue: value,
  options: values.map((one) => ({ value: one, name: one })),
});

function one(field: string, value: unknown, values: readonly string[]): string {
  if (typeof value === "string" && values.includes(value)) return value;
  throw RequestError.invalidParams({ [field]: `expected one of ${values.join(", ")}` });
}
