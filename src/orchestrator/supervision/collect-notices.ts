import type { TurnNoticeReport } from "../../contract/engine/turn-notice.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { storeNotices } from "../store/turn-notices.ts";

type Host = Pick<HostContext, "db" | "events" | "logger">;

/** The most reports of one read. The next read continues. */
const MAX_REPORTS = 20;

/**
 * Stores an engine's notices of turns, and the next ones. The engine keeps each until it is asked for those after it, so
 * that a notice that cannot be stored is read again.
 */
export async function collectNotices(host: Host, live: LiveEngine, first: TurnNoticeReport | undefined): Promise<void> {
  const { id: engineId, productId, incarnation, order } = live;
  const owner = { engineId, productId, incarnation, userId: order.launch.user_id };
  try {
    let report = first;
    for (let reports = 0; report !== undefined && reports < MAX_REPORTS; reports++) {
      await storeNotices(host, owner, report.notices);
      live.noticesRead = Math.max(live.noticesRead, report.notices.at(-1)?.seq ?? 0);
      report = report.more ? await readNotices(live) : undefined;
    }
  } catch (error) {
    host.logger.warn({ err: error, engine_id: live.id }, "failed to store the notices of an engine");
  }
}

/** The notices that are not stored. Undefined without one, and when the engine does not answer. */
export async function readNotices(live: LiveEngine): Promise<TurnNoticeReport | undefined> {
  const answer = await engineStatus({ url: live.url, token: live.controlToken }, { notices: live.noticesRead });
  return answer.kind === "ok" ? answer.status.notices : undefined;
}
