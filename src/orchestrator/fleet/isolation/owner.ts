import type { Owner } from "../../../sandbox/folders.ts";

/** The user that the daemon runs as. orchd runs on Linux only, where every process has one. */
export const daemonUser = (): Owner => ({ uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });

/** The user of an engine: its group has the same number. Null stands for the daemon's own. */
export const engineUser = (uid: number | null): Owner => (uid === null ? daemonUser() : { uid, gid: uid });
