import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import { isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { turnOptions } from "../turn-options.ts";
import { contentOf } from "./message-parts.ts";
import { contextOf } from "./run-context.ts";
import { type RunInput, type RunMessage, forwardedOf } from "./run-input.ts";

/** The message of a run, as `POST /execute` takes it: the engine checks the fields. */
export function executionOf(calls: EngineCalls, input: RunInput, said: readonly RunMessage[]): ExecuteRequest {
  const context = contextOf(input);
  const body = {
    task_id: input.threadId,
    message: contentOf(calls, input, said),
    message_id: said.at(-1)?.id,
    ...toolsOf(input),
    ...(context.length > 0 && { context }),
    ...turnOptions(forwardedOf(input)),
  };
  return body as ExecuteRequest;
}

function toolsOf({ tools = [] }: RunInput): Pick<ExecuteRequest, "client_tools"> {
  if (tools.length === 0) return {};
  return {
    client_tools: tools.map(({ name, description = "", parameters }) => ({
      name,
      description: description === "" ? name : description,
      input_schema: isRecord(parameters) ? { type: "object", ...parameters } : { type: "object" },
    })),
  };
}
