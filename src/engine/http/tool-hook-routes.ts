import type { RequestHandler } from "express";
import { HOOK_WAIT_MS, answerHookRequest, setToolHookRequest } from "../../contract/engine/tool-hook.ts";
import type { EngineStatus } from "../../contract/engine/status.ts";
import { integerParameter, parameter } from "../../shared/http/parameters.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { ToolHook } from "../turns/tool-hook.ts";

export interface ToolHookParts {
  readonly toolHook: ToolHook;
  readonly status: () => EngineStatus;
}

/** The daemon's calls for the product's hook on tools. A call that waits does not keep the engine awake. */
export const toolHookRoutes = ({ toolHook, status }: ToolHookParts) =>
  ({
    setToolHook(request, response) {
      toolHook.set(validateBody(setToolHookRequest, request.body, response).hook);
      response.json(status());
    },
    async hookedCalls(request, response) {
      const given = parameter(request, "after") ?? "";
      const after = /^\d{1,15}$/.test(given) ? Number(given) : 0;
      const waited = new AbortController();
      const end = () => waited.abort();
      const late = setTimeout(end, integerParameter(request, "wait_ms", HOOK_WAIT_MS));
      response.once("close", end);
      await toolHook.untilAsked(after, waited.signal);
      clearTimeout(late);
      response.json({ calls: toolHook.waiting(after) });
    },
    answerHook(request, response) {
      const { turn_id, tool_call_id, attempt, answer } = validateBody(answerHookRequest, request.body, response);
      response.json({ counts: toolHook.answer({ turnId: turn_id, toolCallId: tool_call_id, attempt }, answer) });
    },
  }) satisfies Record<string, RequestHandler>;
