import { type BackupFile, listBackupFiles } from "../../backup/backup-files.ts";
import type { BackupList, BackupRun } from "../../contract/orchestrator/backup.ts";
import type { HostStatus } from "../../contract/orchestrator/records.ts";

export interface BackupSettings {
  /** The folder of the archives. */
  readonly dir: string;
  /** Null without scheduled backups. */
  readonly everyMs: number | null;
  /** How many archives are kept. */
  readonly keep: number;
  /** Null: archives are not encrypted. */
  readonly passphrase: string | null;
  /** The key files of the data folder that an archive contains. Keys of the environment are in no file. */
  readonly keyFiles: readonly string[];
}

/** The backups of this host: the archives, and what this daemon is doing. Only the backup operation sets its fields. */
export class Backups {
  readonly settings: BackupSettings;
  running: BackupRun | null = null;
  /** The last one that this daemon ended. */
  last: BackupRun | null = null;
  /** When the last one failed, on the monotonic clock. Null: it did not. */
  failedAt: number | null = null;
  /** Settles with the running one. */
  settled: Promise<void> = Promise.resolve();
  readonly #outcomes = { created: 0, failed: 0 };
  readonly #hostId: string;

  constructor(settings: BackupSettings, hostId: string) {
    this.settings = settings;
    this.#hostId = hostId;
  }

  end(run: BackupRun & { readonly outcome: "created" | "failed" }): void {
    this.running = null;
    this.last = run;
    this.failedAt = run.outcome === "failed" ? performance.now() : null;
    this.#outcomes[run.outcome]++;
  }

  /** Since the start of the daemon. */
  get outcomes(): Readonly<Record<"created" | "failed", number>> {
    return this.#outcomes;
  }

  files(): Promise<BackupFile[]> {
    return listBackupFiles(this.settings.dir, this.#hostId);
  }

  async list(): Promise<BackupList> {
    const { dir } = this.settings;
    return { dir, data: await this.files(), running: this.running, last: this.last };
  }

  async status(): Promise<HostStatus["backup"]> {
    const { everyMs } = this.settings;
    const newest = (await this.files())[0] ?? null;
    return {
      every_h: everyMs === null ? null : everyMs / 3_600_000,
      newest_at: newest?.created_at ?? null,
      running: this.running !== null,
      problem: this.#problem(),
    };
  }

  /** What an operator should look at, or null. */
  #problem(): string | null {
    if (this.last === null) return null;
    if (this.last.outcome === "failed") return `the last backup failed: ${this.last.reason}`;
    const { incomplete } = this.last;
    return incomplete.length === 0
      ? null
      : `the last backup lacks files of ${incomplete.length} engines (orchctl backup list)`;
  }
}
