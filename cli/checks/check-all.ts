import type { HostCheck } from "../../src/contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../src/contract/orchestrator/host-check.ts";
import type { HostReport } from "../../src/contract/orchestrator/records.ts";
import { VERSION } from "../../src/shared/version.ts";
import { CliFailure, attempt } from "../exit-codes.ts";
import type { Session } from "../session.ts";
import { checkLeader } from "./check-leader.ts";
import { checkLocally, isLocal } from "./check-locally.ts";

interface Findings {
  readonly checks: readonly HostCheck[];
  /** Null when the daemon does not answer. */
  readonly report: HostReport | null;
}

/** The checks of the daemon, or local checks while the daemon does not answer. */
export async function checkAll(session: Session): Promise<Findings> {
  const { client, settings } = session;
  const health = await attempt(() => client.open((daemon) => daemon.health()));
  if (health instanceof CliFailure) {
    const local = isLocal(settings.url) ? await checkLocally(settings) : [];
    return { report: null, checks: [unreachable(health, settings.url), ...local] };
  }
  const ready = await attempt(() => client.open((daemon) => daemon.ready()));
  const daemon =
    ready instanceof CliFailure
      ? failed("daemon", `is up, but not ready: ${ready.message}`, "journalctl -u orchd -n 50 shows why")
      : passed("daemon", `orchd ${health.version} is ready at ${settings.url}`);
  const report = await attempt(() => client.admin((admin) => admin.doctor(), { doing: "checking the daemon" }));
  const leader = checkLeader(health, report);
  const own = [daemon, checkVersion(health.version), leader];
  if (leader.status === "problem") return { report: null, checks: own };
  if (!(report instanceof CliFailure)) return { report, checks: [...own, ...report.checks] };
  const refused =
    report.code === "NOT_FOUND"
      ? warned("checks", "this daemon is older than orchctl doctor", "restart orchd after its upgrade")
      : failed(
          "checks",
          `the daemon's own checks cannot be read: ${report.message}`,
          report.advice ?? "orchctl status",
        );
  return { report: null, checks: [...own, refused] };
}

const unreachable = ({ message }: CliFailure, url: string): HostCheck =>
  failed(
    "daemon",
    message,
    `${isLocal(url) ? "systemctl start orchd, or npm start; journalctl -u orchd -n 50 shows why it ended; " : ""}--url sets its address`,
  );

const checkVersion = (daemon: string): HostCheck =>
  daemon === VERSION
    ? passed("orchctl", `${VERSION}, as the daemon`)
    : warned("orchctl", `has ${VERSION}, the daemon ${daemon}`, "use the orchctl that was installed with the daemon");
