import type { IsoTime } from "./orchestrator-records.ts";

/** One backup from its start on. */
export interface BackupRun {
  /** The file's name in the folder of backups. */
  readonly name: string;
  readonly started_at: IsoTime;
  readonly ended_at: IsoTime | null;
  /** Null while it runs. */
  readonly outcome: "created" | "failed" | null;
  /** The bytes of the archive so far. */
  readonly bytes: number;
  readonly engines: { readonly done: number; readonly total: number };
  /** Engines with unreadable files, with the reasons. */
  readonly incomplete: readonly string[];
  /** Why it failed. */
  readonly reason: string | null;
}

/** The backups of this host, newest first. */
export interface BackupList {
  /** The folder on the daemon's machine. */
  readonly dir: string;
  readonly data: readonly {
    readonly name: string;
    readonly created_at: IsoTime;
    readonly bytes: number;
    readonly encrypted: boolean;
  }[];
  readonly running: BackupRun | null;
  /** The last one that ended since the daemon's start. */
  readonly last: BackupRun | null;
}
