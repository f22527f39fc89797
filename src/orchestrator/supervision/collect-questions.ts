import PQueue from "p-queue";
import type { QuestionReport } from "../../contract/engine/open-question.ts";
import { delay } from "../../shared/clock.ts";
import { inBackground } from "../../shared/background.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import { readQuestions } from "../engine-calls/engine-questions.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { storeQuestions } from "../store/open-questions.ts";
import { inSleepLane } from "./sleep-lane.ts";

type Host = Pick<HostContext, "db" | "live" | "lanes" | "logger">;

const CONCURRENCY = 32;
/** How long a list waits for the engines that are awake. The questions of those that answer later are in the next one. */
const SETTLE_MS = 1000;
/** At most a tenth of the time is spent asking. */
const REST_PER_ROUND = 9;

/** Reads the open questions of an engine when they have changed, and stores them. Never rejects. */
export async function collectQuestions(
  host: Pick<Host, "db" | "lanes" | "logger">,
  live: LiveEngine,
  revision: number | undefined,
): Promise<void> {
  // Engines of earlier releases report none.
  if (revision === undefined || live.questionsRead === revision) return;
  await host.lanes.run(`questions ${live.id}`, async () => {
    if (live.questionsRead !== null && live.questionsRead >= revision) return;
    try {
      // Before the first question of its process it has none, and is not asked.
      const empty = { revision, questions: [], total: 0 };
      const report = revision === 0 ? empty : await readQuestions({ url: live.url, token: live.controlToken });
      if (report === null) return;
      await storeQuestions(host.db, live, report);
      live.questionsRead = report.revision;
    } catch (error) {
      // Read again with a later status.
      host.logger.warn({ err: error, engine_id: live.id }, "failed to store the open questions of an engine");
    }
  });
}

/** Stores the questions that stay open after an answer, so that nobody is shown the answered one again. */
export const storeAfterAnswer = (
  host: Pick<Host, "db" | "lanes">,
  live: LiveEngine,
  report: QuestionReport,
): Promise<void> =>
  host.lanes.run(`questions ${live.id}`, async () => {
    await storeQuestions(host.db, live, report);
    live.questionsRead = Math.max(report.revision, live.questionsRead ?? 0);
  });

/** Reads the open questions of the engines that are awake before they are listed. Those that sleep are not woken. */
export function questionRefresh(host: Host & Pick<HostContext, "stopping">): () => Promise<void> {
  let restUntil = 0;
  const round = sharedRuns(async () => {
    const startedAt = performance.now();
    const queue = new PQueue({ concurrency: CONCURRENCY });
    await queue.addAll(host.live.all().map((live) => () => refresh(host, live)));
    const now = performance.now();
    restUntil = now + (now - startedAt) * REST_PER_ROUND;
  });
  return async () => {
    if (performance.now() < restUntil) return;
    const settled = new AbortController();
    const reading = round().finally(() => settled.abort());
    inBackground("read of open questions", reading);
    await delay(SETTLE_MS, AbortSignal.any([settled.signal, host.stopping]));
  };
}

/** In the sleep lane: a connection to an engine that falls asleep would wake it. */
const refresh = (host: Host, live: LiveEngine): Promise<void> =>
  inSleepLane(host, live.id, async () => {
    if (host.live.get(live.id) !== live || live.isStopping || live.consecutiveFailures > 0) return;
    const answer = await engineStatus({ url: live.url, token: live.controlToken });
    if (answer.kind === "ok") await collectQuestions(host, live, answer.status.questions_revision);
  });
