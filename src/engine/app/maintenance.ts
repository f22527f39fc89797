import { inBackground } from "../../shared/background.ts";
import { collectGarbage } from "../../shared/collect-garbage.ts";
import type { Logger } from "../../shared/logger.ts";
import type { EngineProvider } from "../model/create-provider.ts";
import type { AttachmentNames } from "../store/attachment-names.ts";
import type { ClientCallTable } from "../store/client-call-table.ts";
import type { IdempotencyTable } from "../store/idempotency-keys.ts";
import type { InboxTable } from "../store/inbox-table.ts";
import type { ModelRequestTable } from "../store/model-requests.ts";
import type { TurnNoticeTable } from "../store/turn-notices.ts";
import { pruneAttachments } from "../tools/attachments/prune-attachments.ts";
import { pruneOutputs } from "../tools/spill.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { UsageMeter } from "../usage/usage-meter.ts";
import type { TaskSlots } from "../turns/task-slots.ts";

const EVENTS_KEPT = 200_000;
const KEPT_MS = 24 * 3600 * 1000;
const PRUNE_EVERY_MS = 600_000;
/** Lets the other engines of a busy host become healthy first. */
const FIRST_WORK_AFTER_MS = 1000;
/**
 * A collection takes 50 ms of CPU time. It frees 3 MiB after the start, and 7 after a first turn that called an HTTP tool
 * server. An engine that soon sleeps again would not regain the time, and the boots of a whole host are over by then.
 */
const COLLECT_AFTER_MS = 30_000;

export interface MaintenanceParts {
  readonly provider: EngineProvider;
  readonly slots: TaskSlots;
  readonly journal: EventJournal;
  readonly idempotency: IdempotencyTable;
  readonly inboxTable: Pick<InboxTable, "prune">;
  readonly meter: UsageMeter;
  readonly notices: Pick<TurnNoticeTable, "prune">;
  readonly clientCallTable: Pick<ClientCallTable, "prune">;
  /** Also of engines that keep none any more. */
  readonly requestTable: Pick<ModelRequestTable, "prune">;
  readonly attachments: AttachmentNames;
  readonly checkpoints: { maintain(now: number): Promise<void> };
  readonly workspaceDir: string;
  /** Deletes tasks that are inactive for too long. Never rejects. */
  readonly pruneTasks: () => Promise<void>;
  readonly logger: Logger;
  /** Default: {@link collectGarbage}. */
  readonly collect?: () => void;
}

/** Preloads the model provider, and prunes old events, keys and tool outputs periodically. Returns the stop function. */
export function startMaintenance(parts: MaintenanceParts): () => void {
  const firstWork = () => inBackground("first work", Promise.all([loadProvider(parts), pruneFiles(parts)]));
  const firstAttachments = () =>
    inBackground("removal of attachments", pruneAttachments({ ...parts, names: parts.attachments }));
  const oldTasks = () => inBackground("removal of inactive tasks", parts.pruneTasks());
  const prune = () => {
    pruneRows(parts);
    oldTasks();
    inBackground("removal of old files", pruneFiles(parts));
  };
  const timers = [
    setTimeout(firstWork, FIRST_WORK_AFTER_MS),
    collectAfterLoading(parts),
    setTimeout(firstAttachments, COLLECT_AFTER_MS),
    setTimeout(oldTasks, COLLECT_AFTER_MS),
    setInterval(prune, PRUNE_EVERY_MS),
  ];
  for (const timer of timers) timer.unref();
  return () => timers.forEach((timer) => clearTimeout(timer));
}

/** An upgrade replaces the installation under a running engine, so everything is loaded early. */
async function loadProvider({ provider, logger }: MaintenanceParts): Promise<void> {
  try {
    await provider.load();
    logger.debug({ provider: provider.name }, "provider loaded");
  } catch (error) {
    logger.warn({ err: error, provider: provider.name }, "failed to load the provider; retrying at its first call");
  }
}

/**
 * Collects the garbage of loading: after the start, and after the first turns, which load what calls the model and the tool
 * servers. V8 collects that of an engine with a running turn.
 */
function collectAfterLoading({ slots, journal, collect = collectGarbage }: MaintenanceParts): NodeJS.Timeout {
  const { seq: atStart } = journal.last;
  let isFirst = true;
  const timer = setInterval(() => {
    const hasWorked = journal.last.seq > atStart;
    if (slots.size > 0 || !(isFirst || hasWorked)) return;
    isFirst = false;
    collect();
    if (hasWorked) clearInterval(timer);
  }, COLLECT_AFTER_MS);
  return timer;
}

function pruneRows(parts: MaintenanceParts): void {
  const { journal, idempotency, inboxTable, meter, notices, clientCallTable, requestTable, logger } = parts;
  const before = Date.now() - KEPT_MS;
  try {
    journal.prune(before, EVENTS_KEPT);
    idempotency.prune(before);
    inboxTable.prune(before);
    meter.prune();
    notices.prune();
    clientCallTable.prune(before);
    requestTable.prune(before);
  } catch (error) {
    logger.error({ err: error }, "failed to prune old events");
  }
}

async function pruneFiles({ workspaceDir, slots, checkpoints, logger }: MaintenanceParts): Promise<void> {
  await pruneOutputs({ workspaceDir, runningSince: slots.all().map(({ startedAt }) => startedAt), logger });
  try {
    await checkpoints.maintain(Date.now());
  } catch (error) {
    logger.error({ err: error }, "failed to prune checkpoints");
  }
}
