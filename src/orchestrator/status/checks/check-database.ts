import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { failed, passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";
import { databaseReport } from "../../store/database-report.ts";
import { mayRewriteAudit, schemaDifference } from "../../store/migrate.ts";
import { unavailableReason } from "../../store/unavailable-reason.ts";

const SLOW_MS = 200;
const SKEW_S = 2;

/** The database, its schema, who may rewrite the audit log, and the clocks of both hosts. */
export async function checkDatabase(host: Pick<HostContext, "db" | "now">): Promise<readonly HostCheck[]> {
  let report;
  try {
    report = await databaseReport(host.db);
  } catch (error) {
    const reason = unavailableReason(error) ?? (error instanceof Error ? error.message : String(error));
    return [
      failed(
        "database",
        reason,
        "see the log of PostgreSQL; with the bundled one, postgres/postgres.log in the data folder",
      ),
    ];
  }
  const { version, roundTripMs, now } = report;
  const summary = `PostgreSQL ${version}, ${roundTripMs} ms a query`;
  return [
    roundTripMs < SLOW_MS
      ? passed("database", summary)
      : warned("database", `${summary}, which is slow`, "look at the load and the disks of the database's host"),
    await checkSchema(host),
    checkClock((host.now() - now.getTime()) / 1000),
    (await mayRewriteAudit(host.db))
      ? warned("audit", "the daemon's role may rewrite the audit log", 'see "Your own PostgreSQL" in docs/operating.md')
      : passed("audit", "the daemon's role can only add to the audit log"),
  ];
}

async function checkSchema({ db }: Pick<HostContext, "db">): Promise<HostCheck> {
  const { missing, unknown } = await schemaDifference(db);
  if (unknown.length > 0)
    return failed("migrations", `a newer orchd has migrated the database: ${unknown.join(", ")}`, "upgrade orchd");
  if (missing.length > 0)
    return failed("migrations", `not run: ${missing.join(", ")}`, "restart orchd: systemctl restart orchd");
  return passed("migrations", "all have run");
}

/** `aheadS`: negative when this host's clock is behind. */
const checkClock = (aheadS: number): HostCheck =>
  Math.abs(aheadS) < SKEW_S
    ? passed("clock", "agrees with the database's")
    : warned(
        "clock",
        `is ${Math.round(Math.abs(aheadS))} s ${aheadS > 0 ? "ahead of" : "behind"} the database's`,
        "timedatectl set-ntp true, on both hosts",
      );
