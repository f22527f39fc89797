/** Soft and hard limit of open files of each process of a program. */
const OPEN_FILES = { soft: 1024, hard: 4096 };
/** The unit of `ulimit -f`. */
const BLOCK_BYTES = 512;
/** Exit code of the shell when it cannot enter its cgroup. */
const NOT_LIMITED_EXIT = 125;
const NICE = 5;

export interface LimitScript {
  /** The descriptors of the cgroup's entries, which the script closes. */
  readonly entries: readonly number[];
  /** The largest size of a file. Null: no limit. */
  readonly fileBytes: number | null;
  /** The program that lowers the priority, where no cgroup divides the CPU. */
  readonly nice: string | null;
  /** The processes and threads that this process's user may have when a program starts one. Null: no limit. */
  readonly userTasks: number | null;
}

/**
 * A shell script that limits its own process for good and then runs `"$@"` in its place. The shell enters the cgroup
 * itself, before it runs anything: at no moment could a child be outside. A limit that is lower already stays.
 */
export function limitScript({ entries, fileBytes, nice, userTasks }: LimitScript): string {
  const enter = entries.map((one) => `echo 0 >&${one} || exit ${NOT_LIMITED_EXIT}; exec ${one}>&-; `);
  const limits = ["-c 0", `-S -n ${OPEN_FILES.soft}`, `-H -n ${OPEN_FILES.hard}`];
  if (fileBytes !== null) limits.push(`-f ${Math.floor(fileBytes / BLOCK_BYTES)}`);
  // bash has this limit as `-u`, dash as `-p`, which is the pipe size in bash.
  if (userTasks !== null) limits.push(`-u ${userTasks} 2>/dev/null || ulimit -p ${userTasks}`);
  const apply = limits.map((one) => `ulimit ${one} 2>/dev/null; `);
  return `${enter.join("")}${apply.join("")}exec ${nice === null ? "" : `${nice} -n ${NICE} `}"$@"`;
}
