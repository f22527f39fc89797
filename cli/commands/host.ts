import type { HostStatus, Isolation } from "../../src/client/records.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import type { HostHealth } from "../../src/client/health-client.ts";
import { ENGINE_STATES } from "../../src/contract/orchestrator/records.ts";
import { showLive } from "../live-view.ts";
import { interval } from "../option-values.ts";
import { safe } from "../output.ts";
import { fields } from "../table.ts";
import { formatDuration } from "../times.ts";

export const statusCommand: CommandMaker = (program, settings) => {
  program
    .command("status")
    .description("Show the host: which daemon leads, engines by state, ports, load, isolation and warnings")
    .option("-w, --watch", "show it again and again, until Ctrl-C", false)
    .option("--interval <time>", "how often with --watch", interval, 2)
    .addHelpText("after", example("orchctl status --watch"))
    .action(async ({ watch, interval: intervalS }: { watch: boolean; interval: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const read = async () => {
        // `/health` is of the called daemon, the status of the leader.
        const { role, leader } = await client.open((daemon) => daemon.health());
        const doing = watch ? null : "reading the status";
        return { ...(await client.admin((admin) => admin.status(), { doing })), role, leader };
      };
      if (watch) await showLive({ print, intervalS, read, describe: describeStatus });
      const status = await read();
      print.document(status, (columns) => describeStatus(status, columns));
    });
};

export const drainCommand: CommandMaker = (program, settings) => {
  program
    .command("drain")
    .description("Take no new engines, also after a restart of the daemon; running engines continue")
    .addHelpText("after", example("orchctl drain"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const status = await client.admin((admin) => admin.drain());
      const running = status.engines.running + status.engines.unhealthy;
      const continuing = running === 1 ? "engine continues" : "engines continue";
      print.document(
        status,
        () => `The host takes no new engines; ${running} running ${continuing}. orchctl resume ends this.`,
      );
    });
};

export const resumeCommand: CommandMaker = (program, settings) => {
  program
    .command("resume")
    .description("Take new engines again, or run the schedules of a restored host")
    .option("--schedules", "run the schedules that a restore left paused", false)
    .addHelpText("after", example("orchctl resume"))
    .action(async ({ schedules }: { readonly schedules: boolean }, command) => {
      const { client, print } = sessionOf(command, settings);
      const status = await client.admin((admin) => (schedules ? admin.resumeSchedules() : admin.resume()));
      print.document(status, () => (schedules ? "Schedules run at their times." : "The host takes new engines."));
    });
};

type ShownStatus = HostStatus & Pick<HostHealth, "role" | "leader">;

function describePorts(ports: HostStatus["ports"]): string {
  if (ports === null) return "none taken: each engine has an address of its own";
  const { taken, total, min, max, free, resting, quarantined } = ports;
  return `${taken} of ${total} taken (${min}-${max}), ${free} free, ${resting} resting, ${quarantined} in quarantine`;
}

/** A host's engines, capacity and warnings for its operator. */
function describeStatus(status: ShownStatus, columns: number | null): string {
  const { engines, boots, ports, load } = status;
  const states = ENGINE_STATES.filter((state) => engines[state] > 0).map((state) => `${engines[state]} ${state}`);
  const all = ENGINE_STATES.reduce((sum, state) => sum + (engines[state] ?? 0), 0);
  const orphans = status.orphans.map(
    ({ incarnation, pids }) => `${safe(incarnation)}${pids.length === 0 ? "" : ` (pid ${pids.join(", ")})`}`,
  );
  const active = status.isolation.parts.filter((part) => part.active).map(({ name }) => safe(name));
  const lines = fields(
    [
      ["orchd", `${safe(status.version)}, up ${formatDuration(status.uptime_s)}`],
      ["host", safe(status.host_id)],
      ["leader", status.role === "leader" ? "this daemon" : `${safe(status.leader)}, which this daemon follows`],
      ["new engines", status.draining ? "refused: the host is draining (orchctl resume)" : "accepted"],
      // Daemons of earlier versions omit it.
      ["schedules", status.schedules_paused ? "paused since the restore (orchctl resume --schedules)" : "run"],
      ["restarts", status.breaker === "open" ? "paused: too many engines fail at once" : "not paused"],
      ["engines", all === 0 ? "none" : `${all}: ${states.join(", ")}`],
      ["awake", describeAwake(status.awake)],
      ["boots", `${boots.starting} starting, ${boots.waiting} waiting`],
      ["spares", describeSpares(status.spares)],
      ["ports", describePorts(ports)],
      ["load", `${load.average.toFixed(2)} on ${load.cores} cores`],
      ["memory", `${load.memory_available_mb} of ${load.memory_total_mb} MB available`],
      ["disk", `${load.disk_free_mb} MB free`],
      ["backup", describeBackup(status.backup)],
      ["isolation", `${safe(status.isolation.mode)}: ${active.length === 0 ? "none" : active.join(", ")}`],
      ["orphans", orphans.length === 0 ? "none" : orphans.join("; ")],
    ],
    columns,
  );
  // Warnings first, since a short terminal shows only the first lines.
  const warnings = status.warnings.map((warning) => `warning: ${safe(warning)}`);
  return [...warnings, lines, ...isolationGaps(status.isolation)].join("\n");
}

/** Daemons of earlier versions omit the memory. */
const describeAwake = ({ engines, limit, engine_mb: mb }: HostStatus["awake"]): string =>
  `${engines} of ${limit ?? "any number"}${(mb as number | undefined) === undefined ? "" : `, some ${mb} MiB each`}`;

/** Daemons of earlier versions omit it. */
const describeSpares = (spares: HostStatus["spares"] | undefined): string =>
  spares === undefined || spares.target === 0 ? "none kept" : `${spares.ready} of ${spares.target} ready`;

function describeBackup({ every_h: every, newest_at: newest, running }: HostStatus["backup"]): string {
  const age = newest === null ? "none" : `${formatDuration((Date.now() - Date.parse(newest)) / 1000)} old`;
  const schedule = every === null ? "not scheduled" : `every ${every} h`;
  return `${age}, ${schedule}${running ? ", one runs now" : ""}`;
}

/** The missing parts of the isolation and their fixes. None with `off`. */
const isolationGaps = ({ mode, parts }: Isolation): string[] =>
  parts.flatMap(({ name, problem, fix }) =>
    problem === null || mode === "off"
      ? []
      : [`isolation: ${safe(name)}: ${safe(problem)}${fix === null ? "" : `; ${safe(fix)}`}`],
  );
