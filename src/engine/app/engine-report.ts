import type { EngineStatus } from "../../contract/engine/status.ts";
import type { Memory } from "../memory/open-memory.ts";
import type { ModelCooldowns } from "../model/model-cooldowns.ts";
import type { Wakefulness } from "../sleep/wakefulness.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { TurnNoticeTable } from "../store/turn-notices.ts";
import type { QuestionReport } from "../../contract/engine/open-question.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import type { BudgetGate } from "../usage/budget-gate.ts";
import type { UsageMeter } from "../usage/usage-meter.ts";

interface ReportParts {
  readonly slots: TaskSlots;
  readonly humanRequests: HumanRequests;
  readonly openQuestions: { report(): Pick<QuestionReport, "revision"> };
  readonly journal: EventJournal;
  readonly runner: TurnRunner;
  readonly wakefulness: Wakefulness;
  readonly diskBytes: () => number | null;
  readonly meter: UsageMeter;
  readonly notices: Pick<TurnNoticeTable, "last">;
  readonly budgets: BudgetGate;
  readonly cooldowns: Pick<ModelCooldowns, "own">;
  readonly memory: Pick<Memory, "embeddings">;
}

/** The vitals for `GET /health`, and the status for the daemon's `GET /control/status`. */
export function engineReport({
  slots,
  humanRequests,
  openQuestions,
  journal,
  runner,
  wakefulness,
  diskBytes,
  meter,
  notices,
  budgets,
  cooldowns,
  memory,
}: ReportParts) {
  const vitals = () => ({
    active_turns: slots.size,
    pending_hitl: humanRequests.waiting,
    streams: journal.readerCount(),
    ...embeddingsOf(memory),
  });
  const status = (): EngineStatus => {
    const [spent, failing] = [budgets.report(), cooldowns.own()];
    return {
      ...vitals(),
      ...wakefulness.status(),
      ...(runner.draining && { active_turns: runner.busy }),
      draining: runner.draining,
      last_active_at: journal.lastActiveAt,
      disk_bytes: diskBytes(),
      usage_revision: meter.revision,
      last_notice: notices.last,
      questions_revision: openQuestions.report().revision,
      ...(spent !== undefined && { budgets: spent }),
      ...(failing.length > 0 && { cooldowns: [...failing] }),
    };
  };
  return { vitals, status };
}

function embeddingsOf(memory: Pick<Memory, "embeddings">): Pick<EngineStatus, "embeddings"> {
  const known = memory.embeddings();
  return known === null ? {} : { embeddings: { waiting: known.waiting, last_error: known.error } };
}
