import { flushCompileCache } from "node:module";
import { collectGarbage } from "../shared/collect-garbage.ts";
import type { Logger } from "../shared/logger.ts";
import type { EngineProvider } from "./model/create-provider.ts";
import type { IdempotencyTable } from "./store/idempotency-keys.ts";
import { pruneOutputs } from "./tools/prune-outputs.ts";
import type { EventJournal } from "./turns/event-journal.ts";
import type { TaskSlots } from "./turns/task-slots.ts";

const EVENTS_KEPT = 200_000;
const KEPT_MS = 24 * 3600 * 1000;
const PRUNE_EVERY_MS = 600_000;
/** Long enough for the other engines of a busy host to be healthy first. */
const LOAD_PROVIDER_AFTER_MS = 1000;

export interface MaintenanceParts {
  readonly provider: EngineProvider;
  readonly slots: TaskSlots;
  readonly journal: EventJournal;
  readonly idempotency: IdempotencyTable;
  readonly workspaceDir: string;
  readonly logger: Logger;
}

/** What an engine does beside its turns: loads what it will need, drops what has grown old. Returns the end of it. */
export function startMaintenance(parts: MaintenanceParts): () => void {
  setTimeout(() => void loadNow(parts), LOAD_PROVIDER_AFTER_MS).unref();
  void pruneFiles(parts);
  const pruning = setInterval(() => {
    pruneRows(parts);
    void pruneFiles(parts);
  }, PRUNE_EVERY_MS).unref();
  return () => clearInterval(pruning);
}

/** An upgrade replaces the installation under a running engine: nothing may be left to be read from it later. */
async function loadNow({ provider, slots, logger }: MaintenanceParts): Promise<void> {
  try {
    await provider.load();
    // The next engine on this host takes the compiled code instead of compiling: half the memory of loading.
    flushCompileCache();
    if (slots.size === 0) collectGarbage();
    logger.debug({ provider: provider.name }, "provider loaded");
  } catch (error) {
    logger.warn(
      { err: error, provider: provider.name },
      "the provider could not be loaded; its first call tries again",
    );
  }
}

function pruneRows({ journal, idempotency, logger }: MaintenanceParts): void {
  const before = Date.now() - KEPT_MS;
  try {
    journal.prune(before, EVENTS_KEPT);
    idempotency.prune(before);
  } catch (error) {
    logger.error({ err: error }, "old events could not be dropped");
  }
}

const pruneFiles = ({ workspaceDir, slots, logger }: MaintenanceParts): Promise<void> =>
  pruneOutputs({ workspaceDir, runningSince: slots.all().map(({ startedAt }) => startedAt), logger });
