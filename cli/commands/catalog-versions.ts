import { writeFile } from "node:fs/promises";
import { wholeNumber } from "../option-values.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";
import { describePushed } from "./catalog-push.ts";

export const catalogHistoryCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("history")
    .description("List the stored versions of the product's catalog, the newest first")
    .addHelpText("after", example("orchctl catalog history"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const history = await client.platform((orchestrator) => orchestrator.catalog.history());
      const rows = history.versions.map((one) => [
        String(one.version),
        one.created_at ?? "",
        String(one.files),
        String(one.bytes),
        one.actor ?? "",
        one.restored_from === null ? "" : `of version ${one.restored_from}`,
      ]);
      print.document(history, (columns) =>
        table(["VERSION", "CREATED", "FILES", "BYTES", "BY", "RESTORED"], rows, columns),
      );
    });
};

export const catalogRollbackCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("rollback")
    .argument("<version>", "a version of the history, or 0 for the catalog without a file", wholeNumber)
    .description("Make the files of an earlier version current again")
    .option("--if-version <n>", "roll back only if this version is the current one", wholeNumber)
    .addHelpText("after", example("orchctl catalog rollback 3"))
    .action(async (version: number, { ifVersion }: { ifVersion?: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const pushed = await client.platform((orchestrator) => orchestrator.catalog.rollback(version, { ifVersion }));
      print.document(pushed, () => describePushed(pushed).join("\n"));
    });
};

export const catalogDownloadCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("download")
    .argument("<version>", "a version of the history", wholeNumber)
    .argument("<file>", "the file to write")
    .description("Write a version of the product's catalog to a tar.gz archive, as it was pushed")
    .addHelpText("after", example("orchctl catalog download 3 catalog.tar.gz"))
    .action(async (version: number, file: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const archive = await client.platform((orchestrator) => orchestrator.catalog.archive(version));
      // The archive may contain secrets.
      await writeFile(file, archive.stream(), { mode: 0o600 }).catch((error: Error) => {
        throw new CliFailure("usage", `${safe(file)} cannot be written (${error.message})`);
      });
      print.document({ file, bytes: archive.size }, () => `${safe(file)} has ${archive.size} bytes`);
    });
};
