import { isSparePath } from "../../src/contract/engine/spare.ts";
import { readFileSync, readlinkSync, statSync } from "node:fs";
import {
  listProcesses,
  readStat,
  readUser,
  startArguments,
  startVariable,
} from "../../src/sandbox/processes/process-table.ts";
import type { Daemon } from "./daemon.ts";
import { until } from "./until.ts";

/** The spares of a data folder's daemon that run, found as its next daemon finds them. */
export const sparePids = (dataDir: string): readonly number[] =>
  listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) =>
      startArguments(pid).some((argument) => argument.startsWith(`${dataDir}/run/`) && isSparePath(argument)),
    );

/** What everybody may read of a process. */
export const publicFacts = (pid: number) => ({
  arguments: startArguments(pid).join(" "),
  launchFile: startVariable(pid, "ORCH_LAUNCH_FILE"),
  user: readUser(pid),
});

/** Waits until so many spares can be claimed. */
export const sparesReady = async (daemon: Daemon, ready: number): Promise<void> => {
  await until(
    `${ready} spares are ready`,
    async () => {
      const { body } = await daemon.admin("/admin/status");
      return body.spares.ready === ready;
    },
    60_000,
  );
};

/** How starts of engines ended since the start of the daemon. */
export async function claims(daemon: Daemon): Promise<Readonly<Record<string, number>>> {
  const { text } = await daemon.admin("/metrics");
  const lines = [...text.matchAll(/^orch_spare_claims_total\{outcome="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, outcome = "", count]) => [outcome, Number(count)]));
}

const RIGHTS = /^(?:Groups|Cap\w+|NoNewPrivs|Seccomp|Umask|SigIgn|SigBlk):.*$/gm;

/** What the kernel grants a process, whichever way it was started. Numbers of its user are left out. */
export function kernelFacts(pid: number) {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  const user = String(readUser(pid));
  const descriptors = [0, 1, 2, 3].map((number) => readlinkSync(`/proc/${pid}/fd/${number}`).replace(/\d+/, ""));
  const { uid, gid } = statSync(`/proc/${pid}/environ`);
  return {
    rights: read("status")
      .match(RIGHTS)
      ?.map((line) => line.replaceAll(user, "USER")),
    owners: [uid, gid].map((owner) => String(owner) === user),
    limits: read("limits").replaceAll(/\s+/g, " "),
    oomScore: read("oom_score_adj"),
    cgroups: read("cgroup"),
    folder: readlinkSync(`/proc/${pid}/cwd`),
    descriptors,
    environment: read("environ")
      .split("\0")
      .filter((line) => !line.startsWith("NODE_COMPILE_CACHE="))
      .sort(),
    leader: readStat(pid)?.session === pid,
  };
}
