import type { FilterRule } from "./seccomp.ts";

const EOPNOTSUPP = 95;

/**
 * Takes disk space without writing it: a watch sees gigabytes only when they are gone. `posix_fallocate` of the C
 * libraries writes instead.
 */
export const ALLOCATIONS: FilterRule = { calls: ["fallocate"], refuse: "always", errno: EOPNOTSUPP };

/**
 * Requests of `ioctl` that do the same on every file system: `FS_IOC_RESVSP`, `FS_IOC_RESVSP64` and `FS_IOC_ZERO_RANGE`.
 */
export const ALLOCATION_REQUESTS: readonly number[] = [0x4030_5828, 0x4030_582a, 0x4030_5839];
