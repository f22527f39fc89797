import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { EngineConfig } from "../config.ts";
import { ClientCallTable } from "../store/client-call-table.ts";
import { HitlTable } from "../store/hitl-requests.ts";
import { OpenQuestionTable } from "../store/open-questions.ts";
import type { Store } from "../store/open-store.ts";
import { ToolVerdictTable } from "../store/tool-verdict-table.ts";
import { outputProblem } from "../tools/client-tools.ts";
import { ClientCalls } from "../turns/client-calls.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import { HumanRequests } from "../turns/human-requests.ts";
import { OpenQuestions } from "../turns/question-report.ts";
import { ToolHook } from "../turns/tool-hook.ts";

/** What turns ask of people, of the client and of the product. */
export function openRequests(
  {
    launch,
    store,
    config: { hitlTtlMs: ttlMs },
  }: { readonly launch: EngineLaunch; readonly store: Store; readonly config: EngineConfig },
  journal: EventJournal,
) {
  const humanRequests = new HumanRequests(new HitlTable(store), journal, { ttlMs });
  const clientCallTable = new ClientCallTable(store);
  const clientCalls = new ClientCalls(clientCallTable, journal, { ttlMs, checkOutput: outputProblem });
  const toolHook = new ToolHook(new ToolVerdictTable(store), journal, launch.tool_hook ?? null);
  const openQuestions = new OpenQuestions(new OpenQuestionTable(store));
  return { requests: { humanRequests, clientCalls, toolHook }, openQuestions, clientCallTable };
}
