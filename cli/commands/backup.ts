import type { BackupList, BackupRun } from "../../src/client/records.ts";
import { createBackup, sizeText } from "../create-backup.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";

export const backupCreateCommand: CommandMaker = (backup, settings) => {
  backup
    .command("create")
    .description("Back up this host while it runs: records, keys and the engines' memories and files")
    .addHelpText("after", example("orchctl backup create"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const { dir, run } = await createBackup(client);
      print.document({ ...run, dir }, (columns) => describeRun(run, dir, columns));
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

function describeRun({ name, bytes, engines, incomplete }: BackupRun, dir: string, columns: number | null): string {
  const lines = fields(
    [
      ["backup", `${dir}/${name}`],
      ["size", sizeText(bytes)],
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
          data.map((file) => [file.name, file.created_at, sizeText(file.bytes), file.encrypted ? "yes" : "no"]),
          columns,
        ),
  ];
  if (running !== null)
    lines.push(`running: ${safe(running.name)}, ${running.engines.done} of ${running.engines.total} engines`);
  if (last?.outcome === "failed") lines.push(`warning: the last backup failed: ${safe(last.reason)}`);
  for (const note of last?.incomplete ?? []) lines.push(`warning: ${safe(last?.name)}: ${safe(note)}`);
  return lines.join("\n");
}
