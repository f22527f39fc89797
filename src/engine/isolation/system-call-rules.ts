import { type FilterRule, flagged } from "../../shared/linux/seccomp.ts";
import { type SocketCallRules, socketCallRules } from "./socket-call-rules.ts";

const ENOSPC = 28;
const ENOSYS = 38;

/** `CLONE_NEW*` but `CLONE_NEWTIME`, whose bit is part of the exit signal in `clone`. */
const CLONE_NAMESPACES = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
/** Makes the new process a child of the engine, which would never reap it. */
const CLONE_PARENT = 0x8000;
const F_SETOWN = 8;
const F_SETOWN_EX = 15;
const FIOSETOWN = 0x8901;
const SIOCSPGRP = 0x8902;
const PR_SET_DUMPABLE = 4;
const PRIO_PROCESS = 0;
const IOPRIO_WHO_PROCESS = 1;
const PIDFD_THREAD = 0x80;
const ANY_PERSONALITY = 0xffff_ffff;

/** Calls that no tool needs, and that reach other processes, the kernel or the host. */
const NEVER: FilterRule = {
  refuse: "always",
  calls: [
    ...(["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"] as const),
    ...(["pidfd_getfd", "kcmp", "migrate_pages", "move_pages", "rt_tgsigqueueinfo"] as const),
    ...(["unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "mount_setattr"] as const),
    ...(["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"] as const),
    ...(["bpf", "perf_event_open", "userfaultfd", "open_by_handle_at", "fanotify_init"] as const),
    // io_uring makes sockets and connections that no filter sees. The event loop of the thread that starts tools has a
    // ring, and so needs io_uring_enter; it is closed in the tools.
    ...(["io_uring_setup", "io_uring_register"] as const),
    ...(["keyctl", "add_key", "request_key"] as const),
    // System V IPC and message queues are shared by all processes of a user.
    ...(["shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop"] as const),
    ...(["msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"] as const),
    ...(["syslog", "acct", "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load"] as const),
    ...(["init_module", "finit_module", "delete_module", "iopl", "ioperm"] as const),
    ...(["quotactl", "quotactl_fd", "clock_adjtime", "settimeofday", "lookup_dcookie"] as const),
  ],
};

/** Namespaces give a process capabilities. `clone3` passes its flags in memory; programs fall back to `clone`. */
const NAMESPACES: readonly FilterRule[] = [
  { calls: ["clone"], refuse: { when: [CLONE_PARENT, ...CLONE_NAMESPACES].map((flag) => flagged(0, flag)) } },
  { calls: ["clone3"], refuse: "always", errno: ENOSYS },
];

/** Limits and priorities of other processes of the same user. 0 is the caller. */
const OTHER_PROCESSES: readonly FilterRule[] = [
  {
    calls: ["prlimit64", "sched_setparam", "sched_setscheduler", "sched_setattr", "sched_setaffinity"],
    refuse: { unless: [[{ argument: 0, equals: [0] }]] },
  },
  {
    calls: ["setpriority"],
    refuse: {
      unless: [
        [
          { argument: 0, equals: [PRIO_PROCESS] },
          { argument: 1, equals: [0] },
        ],
      ],
    },
  },
  {
    calls: ["ioprio_set"],
    refuse: {
      unless: [
        [
          { argument: 0, equals: [IOPRIO_WHO_PROCESS] },
          { argument: 1, equals: [0] },
        ],
      ],
    },
  },
  { calls: ["pidfd_open"], refuse: { when: [flagged(1, PIDFD_THREAD)] } },
  { calls: ["personality"], refuse: { unless: [[{ argument: 0, equals: [0, ANY_PERSONALITY] }]] } },
];

export interface ToolCallRules extends SocketCallRules {
  /** Landlock keeps `truncate` within the domain. */
  readonly truncateIsLimited: boolean;
  /** Other engines run as the same user. */
  readonly sharedUser: boolean;
  readonly enginePid: number;
  /** The thread that starts the tools, which is in their domain. */
  readonly toolThread: number;
}

/** The system calls of tools. */
export function toolCallRules(rules: ToolCallRules): readonly FilterRule[] {
  const { sharedUser } = rules;
  return [
    ...socketCallRules(rules),
    NEVER,
    ...NAMESPACES,
    ...OTHER_PROCESSES,
    ...signals(rules),
    // The engine finds the processes of a call by their environment, which it could then not read.
    {
      calls: ["prctl"],
      refuse: {
        when: [
          [
            { argument: 0, equals: [PR_SET_DUMPABLE] },
            { argument: 1, equals: [0] },
          ],
        ],
      },
    },
    // Landlock does not limit inotify watches, which reveal the names of all files that a neighbour uses. Programs treat
    // this error as too many watches, and poll.
    ...(sharedUser ? [{ calls: ["inotify_add_watch"], refuse: "always", errno: ENOSPC } as const] : []),
    ...(rules.truncateIsLimited ? [] : [{ calls: ["truncate"], refuse: "always" } as const]),
  ];
}

/**
 * Landlock refuses signals to the engine, but not to its thread in the tools' domain. A signal to that thread's id, also
 * one that announces input, reaches all of the engine.
 */
function signals({ enginePid, toolThread }: ToolCallRules): readonly FilterRule[] {
  // Before Landlock limits signals, also those to the engine and to all processes of its user.
  const engine = [enginePid, toolThread, -enginePid, -1];
  return [
    { calls: ["tgkill"], refuse: { when: [[{ argument: 0, equals: [enginePid] }]] } },
    { calls: ["kill", "tkill", "rt_sigqueueinfo"], refuse: { when: [[{ argument: 0, equals: engine }]] } },
    {
      calls: ["fcntl"],
      refuse: {
        when: [
          [
            { argument: 1, equals: [F_SETOWN] },
            { argument: 2, equals: engine },
          ],
          // Passes the id in memory, as the two of ioctl do.
          [{ argument: 1, equals: [F_SETOWN_EX] }],
        ],
      },
    },
    { calls: ["ioctl"], refuse: { when: [[{ argument: 1, equals: [FIOSETOWN, SIOCSPGRP] }]] } },
  ];
}
