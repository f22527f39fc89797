import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type FunctionTool, clientToolsOf, schemaOf } from "./completion-request.ts";
import { assertModel, effortOf } from "./openai-call.ts";

interface Given<Value> {
  readonly value: Value | null | undefined;
  /** For a refusal. */
  readonly field: string;
}

/** What a call of either protocol asks of its turn. */
export interface AskedTurn {
  readonly model: string;
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: unknown;
  readonly effort: Given<string>;
  readonly format: Given<Readonly<Record<string, unknown>>>;
  /** Whether the client wants to see the reasoning, also without an effort. */
  readonly wantsReasoning?: boolean;
}

export interface AskedOptions {
  readonly options: Pick<ExecuteRequest, "agent" | "client_tools" | "effort" | "thinking" | "output_schema">;
  readonly isStructured: boolean;
  readonly showsReasoning: boolean;
}

export function askedOptions(calls: EngineCalls, asked: AskedTurn): AskedOptions {
  const { model, tools, toolChoice, effort: given, format, wantsReasoning = false } = asked;
  assertModel(calls, model);
  const { effort } = effortOf(calls, given.value, given.field);
  const schema = schemaOf(calls, format.value, format.field);
  const showsReasoning = effort !== undefined || wantsReasoning;
  return {
    options: {
      agent: model,
      client_tools: [...clientToolsOf(calls, tools, toolChoice)],
      ...(effort && { effort }),
      ...(showsReasoning && { thinking: true }),
      ...(schema && { output_schema: schema }),
    },
    isStructured: schema !== undefined,
    showsReasoning,
  };
}
