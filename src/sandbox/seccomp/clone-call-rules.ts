import { type FilterRule, flagged } from "./seccomp.ts";

const ENOSYS = 38;
/** `CLONE_NEW*` but `CLONE_NEWTIME`, whose bit is part of the exit signal in `clone`. */
const CLONE_NAMESPACES = [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
/** Makes the new process a child of the process that started its parent, which would never reap it. */
const CLONE_PARENT = 0x8000;
const CLONE_FILES = 0x400;
const CLONE_THREAD = 0x1_0000;
const CLOSE_RANGE_UNSHARE = 2;

/** A thread with descriptors of its own would hide open files from the limits, which look at those of its process. */
const OWN_DESCRIPTORS = [{ argument: 0, mask: CLONE_THREAD | CLONE_FILES, equals: [CLONE_THREAD] }] as const;

/** Namespaces give a process capabilities. `clone3` passes its flags in memory; programs fall back to `clone`. */
export const cloneCallRules: readonly FilterRule[] = [
  {
    calls: ["clone"],
    refuse: { when: [...[CLONE_PARENT, ...CLONE_NAMESPACES].map((flag) => flagged(0, flag)), OWN_DESCRIPTORS] },
  },
  { calls: ["clone3"], refuse: "always", errno: ENOSYS },
  { calls: ["close_range"], refuse: { when: [flagged(2, CLOSE_RANGE_UNSHARE)] } },
];
