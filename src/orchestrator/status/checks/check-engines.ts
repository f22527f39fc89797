import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostStatus } from "../../../contract/orchestrator/records.ts";
import { VERSION } from "../../../shared/version.ts";
import type { HostContext } from "../../host-context.ts";
import { RESTORE_PAUSE } from "../../rules/admission.ts";
import { countByVersion } from "../../store/host-engines.ts";
import { RESUME_SCHEDULES, engineWarnings } from "../host-status.ts";

/** Checks admission, schedules, engines in trouble, versions, orphans, spares and isolation. */
export async function checkEngines(
  host: Pick<HostContext, "db" | "settings" | "now">,
  status: HostStatus,
): Promise<readonly HostCheck[]> {
  return [
    checkAdmission(status),
    checkSchedules(status),
    ...checkStates(await engineWarnings(host), status.engines),
    await checkVersions(host),
    ...checkOrphans(status.orphans),
    ...checkSpares(status.spares),
    ...checkIsolation(status.isolation),
  ];
}

function checkAdmission({ draining, breaker }: HostStatus): HostCheck {
  if (breaker === "open")
    return failed("admission", "restarts pause, because many engines failed at once", "orchctl events --all -n 100");
  return draining
    ? warned("admission", "the host takes no new engines", "orchctl resume")
    : passed("admission", "new engines are accepted");
}

const checkSchedules = ({ schedules_paused: isPaused }: HostStatus): HostCheck =>
  isPaused
    ? warned("schedules", `${RESTORE_PAUSE}, whose original may still run them`, RESUME_SCHEDULES)
    : passed("schedules", "run at their times");

function checkStates(warnings: readonly string[], states: HostStatus["engines"]): readonly HostCheck[] {
  if (warnings.length === 0) return [passed("engines", "none needs a person")];
  const judge = states.failed + states.stop_failed > 0 ? failed : warned;
  return warnings.map((warning) => {
    const [, message = warning, fix = ""] = /^(.*): (orchctl .*)$/s.exec(warning) ?? [];
    return judge("engines", message, fix);
  });
}

async function checkVersions({ db, settings }: Pick<HostContext, "db" | "settings">): Promise<HostCheck> {
  const versions = await countByVersion(db, settings.portRange.hostId);
  const others = [...versions].filter(([version]) => version !== VERSION);
  if (others.length === 0) return passed("versions", `all running engines have ${VERSION}`);
  const summary = others.map(([version, count]) => `${count} running with ${version}`).join(", ");
  return warned(
    "versions",
    `${summary}; the daemon has ${VERSION}`,
    "orchctl engines restart --outdated restarts them a few at a time, and stops when the new version fails",
  );
}

const checkOrphans = (orphans: HostStatus["orphans"]): readonly HostCheck[] =>
  orphans.length === 0
    ? [passed("orphans", "no process without a record")]
    : orphans.map(({ incarnation, fix }) => warned("orphans", `processes of ${incarnation} have no record`, fix));

/** No check when no spares are kept. */
function checkSpares({ ready, target, problem }: HostStatus["spares"]): readonly HostCheck[] {
  if (target === 0) return [];
  return [
    problem === null
      ? passed("spares", `${ready} of ${target} ready`)
      : warned("spares", problem, "journalctl -u orchd shows why each failed; without spares engines boot as usual"),
  ];
}

function checkIsolation({ mode, parts }: HostStatus["isolation"]): readonly HostCheck[] {
  if (mode === "off") return [warned("isolation", "is off", "set ORCH_ISOLATION=auto and restart orchd")];
  const missing = parts.filter(({ problem }) => problem !== null);
  if (missing.length === 0) return [passed("isolation", parts.map(({ name }) => name).join(", "))];
  return missing.map(({ name, problem, fix }) =>
    warned("isolation", `${name}: ${problem}`, fix ?? 'see "Isolation" in docs/operating.md'),
  );
}
