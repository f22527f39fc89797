import { type FilterRule, flagged } from "./seccomp.ts";
import { ALLOCATIONS, ALLOCATION_REQUESTS } from "./allocation-rules.ts";
import { cloneCallRules } from "./clone-call-rules.ts";
import { type SocketCallRules, socketCallRules } from "./socket-call-rules.ts";

const ENOSPC = 28;

const F_SETOWN = 8;
const F_SETOWN_EX = 15;
/** A lease delays every other process that opens the file, for `/proc/sys/fs/lease-break-time`. */
const F_SETLEASE = 1024;
const F_SETDELEG = 1040;
/** dnotify: a watch of a folder, without the limits of inotify. */
const F_NOTIFY = 1026;
const FIOSETOWN = 0x8901;
const SIOCSPGRP = 0x8902;
/** `FS_IOC_FSSETXATTR` and `FS_IOC_SETFLAGS`, as `file_setattr`. */
const ATTRIBUTE_REQUESTS = [0x401c_5820, 0x4008_6602];
const PR_SET_DUMPABLE = 4;
const PRIO_PROCESS = 0;
const IOPRIO_WHO_PROCESS = 1;
const PIDFD_THREAD = 0x80;
const ANY_PERSONALITY = 0xffff_ffff;

/** Calls that no confined program needs, and that reach other processes, the kernel or the host. */
const NEVER: FilterRule = {
  refuse: "always",
  calls: [
    ...(["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"] as const),
    ...(["pidfd_getfd", "kcmp", "migrate_pages", "move_pages", "rt_tgsigqueueinfo"] as const),
    ...(["unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "mount_setattr"] as const),
    ...(["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"] as const),
    ...(["bpf", "perf_event_open", "userfaultfd", "open_by_handle_at", "fanotify_init", "fanotify_mark"] as const),
    // io_uring makes sockets and connections that no filter sees. The event loop of the thread that starts programs
    // has a ring, and so needs io_uring_enter; it is closed in the programs.
    ...(["io_uring_setup", "io_uring_register"] as const),
    ...(["keyctl", "add_key", "request_key"] as const),
    // System V IPC and message queues are shared by all processes of a user.
    ...(["shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop"] as const),
    ...(["msgget", "msgsnd", "msgrcv", "msgctl"] as const),
    ...(["mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"] as const),
    ...(["syslog", "acct", "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load"] as const),
    ...(["init_module", "finit_module", "delete_module", "iopl", "ioperm"] as const),
    ...(["quotactl", "quotactl_fd", "clock_adjtime", "settimeofday", "lookup_dcookie"] as const),
    ...(["adjtimex", "clock_settime", "sethostname", "setdomainname", "vhangup", "nfsservctl"] as const),
    // What is mounted on the host, and the namespaces and security modules of others.
    ...(["statmount", "listmount", "open_tree_attr", "listns", "sysfs", "ustat"] as const),
    ...(["lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules"] as const),
    // Attributes of files, such as the project of a disk quota.
    ...(["file_getattr", "file_setattr"] as const),
    // 16-bit segments, libraries of a.out, and memory that no quota of memory files sees.
    ...(["modify_ldt", "uselib", "memfd_secret"] as const),
  ],
};

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

export interface ProgramCallRules extends SocketCallRules {
  /** Landlock keeps `truncate` within the domain. */
  readonly truncateIsLimited: boolean;
  /** Others than this process run programs as the same user. */
  readonly sharedUser: boolean;
  /** The process that starts the programs. */
  readonly ownPid: number;
  /** The thread that starts the programs, which is in their domain. */
  readonly launchThread: number;
}

/** The system calls of programs. */
export function programCallRules(rules: ProgramCallRules): readonly FilterRule[] {
  const { sharedUser } = rules;
  return [
    ...socketCallRules(rules),
    NEVER,
    ALLOCATIONS,
    ...cloneCallRules,
    ...OTHER_PROCESSES,
    ...signalsAndFiles(rules),
    // A program tree finds its processes by their environment, which it could then not read.
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
 * Landlock refuses signals to the process that starts programs, but not to its thread in their domain. A signal to that
 * thread's id, also one that announces input, reaches the whole process.
 */
function signalsAndFiles({ ownPid, launchThread }: ProgramCallRules): readonly FilterRule[] {
  // Before Landlock limits signals, also those to that process and to all processes of its user.
  const own = [ownPid, launchThread, -ownPid, -1];
  return [
    { calls: ["tgkill"], refuse: { when: [[{ argument: 0, equals: [ownPid] }]] } },
    { calls: ["kill", "tkill", "rt_sigqueueinfo"], refuse: { when: [[{ argument: 0, equals: own }]] } },
    {
      calls: ["fcntl"],
      refuse: {
        when: [
          [
            { argument: 1, equals: [F_SETOWN] },
            { argument: 2, equals: own },
          ],
          // Passes the id in memory, as two requests of ioctl do.
          [{ argument: 1, equals: [F_SETOWN_EX] }],
          [{ argument: 1, equals: [F_NOTIFY, F_SETLEASE, F_SETDELEG] }],
        ],
      },
    },
    {
      calls: ["ioctl"],
      refuse: {
        when: [[{ argument: 1, equals: [FIOSETOWN, SIOCSPGRP, ...ATTRIBUTE_REQUESTS, ...ALLOCATION_REQUESTS] }]],
      },
    },
  ];
}
