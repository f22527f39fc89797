import { setTimeout as sleep } from "node:timers/promises";
import type { BackupList, BackupRun } from "../../src/contract/backup-records.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { withProgress } from "../progress.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";

const POLL_MS = 500;

export const backupCreateCommand: CommandMaker = (backup, settings) => {
  backup
    .command("create")
    .description("Back up this host while it runs: records, keys and the engines' memories and files")
    .addHelpText("after", example("orchctl backup create"))
    .action(async (_options, command) => {
      const session = sessionOf(command, settings);
      const started = await session.client.admin((admin) => admin.createBackup());
      let shown = started;
      const progress = () =>
        `backing up: ${shown.engines.done} of ${shown.engines.total} engines, ${size(shown.bytes)}`;
      const { dir, run } = await withProgress(progress, () => waitForEnd(session, started, (run) => (shown = run)));
      if (run.outcome === "failed") throw new CliFailure("unavailable", `the backup failed: ${safe(run.reason)}`);
      session.print.document({ ...run, dir }, (columns) => describeRun(run, dir, columns));
    });
};

export const backupListCommand: CommandMaker = (backup, settings) => {
  backup
    .command("list")
    .description("List the backups of this host, newest first, and the one that runs")
    .addHelpText("after", example("orchctl backup list"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const list = await client.admin((admin) => admin.listBackups());
      print.document(list, (columns) => describeList(list, columns));
    });
};

/** The daemon knows its last backup only: when another one has ended meanwhile, ours is in the list or failed. */
async function waitForEnd(
  { client }: Session,
  { name }: BackupRun,
  onProgress: (run: BackupRun) => void,
): Promise<{ readonly dir: string; readonly run: BackupRun }> {
  for (;;) {
    const { dir, running, last } = await client.admin((admin) => admin.listBackups());
    if (last?.name === name) return { dir, run: last };
    if (running?.name !== name)
      throw new CliFailure(
        "unavailable",
        "the daemon was restarted during the backup; orchctl backup list shows what is complete",
      );
    onProgress(running);
    await sleep(POLL_MS);
  }
}

function describeRun({ name, bytes, engines, incomplete }: BackupRun, dir: string, columns: number | null): string {
  const lines = fields(
    [
      ["backup", `${dir}/${name}`],
      ["size", size(bytes)],
      ["engines", String(engines.done)],
    ],
    columns,
  );
  return [lines, ...incomplete.map((note) => `warning: ${safe(note)}`)].join("\n");
}

function describeList({ dir, data, running, last }: BackupList, columns: number | null): string {
  const lines = [
    data.length === 0
      ? `no backups in ${safe(dir)}`
      : table(
          ["NAME", "CREATED", "SIZE", "ENCRYPTED"],
          data.map((file) => [file.name, file.created_at, size(file.bytes), file.encrypted ? "yes" : "no"]),
          columns,
        ),
  ];
  if (running !== null)
    lines.push(`running: ${safe(running.name)}, ${running.engines.done} of ${running.engines.total} engines`);
  if (last?.outcome === "failed") lines.push(`warning: the last backup failed: ${safe(last.reason)}`);
  for (const note of last?.incomplete ?? []) lines.push(`warning: ${safe(last?.name)}: ${safe(note)}`);
  return lines.join("\n");
}

const size = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
