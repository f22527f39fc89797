import { ENGINE_STATES, drainRequest, restartRequest } from "../../contract/orchestrator/requests.ts";
import { AUDIT_AFTER } from "../../contract/orchestrator/routes/host.ts";
import { PAGE_LIMIT } from "../../contract/route-table.ts";
import { requestBackup } from "../operations/create-backup.ts";
import { drainHost, resumeSchedules } from "../operations/change-host-flags.ts";
import { restartEngine } from "../operations/restart-engine.ts";
import { checkHost } from "../status/checks/check-host.ts";
import { hostStatus, readMetrics } from "../status/host-status.ts";
import { pageOfEngines, samplesOfEngine } from "../status/look-up-engine.ts";
import type { HostContext } from "../host-context.ts";
import { pageOfAudit } from "../status/read-events.ts";
import { choiceParameter, integerParameter } from "../../shared/http/parameters.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import { identityRoutes } from "./identity-routes.ts";
import { type Handler, pageOf, pageParameters } from "./call.ts";

export function adminRoutes(host: HostContext) {
  // Each takes milliseconds of CPU time on a large host.
  const status = sharedRuns(() => hostStatus(host));
  const metrics = sharedRuns(() => readMetrics(host));
  return {
    ...identityRoutes(host),
    adminEngines: (call) => {
      const page = pageParameters(call, "eng");
      const state = choiceParameter(call, "state", ENGINE_STATES);
      return call.list(async () => pageOf(await pageOfEngines(host, null, { ...page, state }), page.limit));
    },
    restartEngine: async (call) => {
      const { drain_s: drainS } = call.body(restartRequest);
      return { status: 200, body: await restartEngine(host, call.params["engine_id"] ?? "", drainS) };
    },
    hostSamples: () => ({ status: 200, body: host.samples.ofHost(host.now()) }),
    engineSamples: async (call) => ({ status: 200, body: await samplesOfEngine(host, call.params["engine_id"] ?? "") }),
    adminStatus: async () => ({ status: 200, body: await status() }),
    checkHost: async () => ({ status: 200, body: await checkHost(host) }),
    adminAudit: async (call) => {
      const name = call.query["cursor"] === undefined ? "after" : "cursor";
      const after = integerParameter(call, name, AUDIT_AFTER);
      const limit = integerParameter(call, "limit", PAGE_LIMIT);
      const data = await pageOfAudit(host, { after, limit });
      const last = data.at(-1);
      return { status: 200, body: { data, next_cursor: data.length === limit && last ? String(last.seq) : null } };
    },
    listBackups: async () => ({ status: 200, body: await host.backups.list() }),
    createBackup: async (call) => {
      call.body(drainRequest);
      return { status: 202, body: await requestBackup(host) };
    },
    drainHost: async (call) => {
      call.body(drainRequest);
      await drainHost(host, true);
      return { status: 200, body: await status() };
    },
    resumeSchedules: async (call) => {
      call.body(drainRequest);
      await resumeSchedules(host);
      return { status: 200, body: await status() };
    },
    resumeHost: async (call) => {
      call.body(drainRequest);
      await drainHost(host, false);
      return { status: 200, body: await status() };
    },
    metrics: async ({ response }) => {
      const { text, contentType } = await metrics();
      response.set("Content-Type", contentType).send(text);
      return undefined;
    },
  } satisfies Record<string, Handler>;
}
