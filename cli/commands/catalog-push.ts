import type { CatalogChanges, CatalogFault, CatalogPushed, CatalogRollout } from "../../src/client/records.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import { catalogChanges } from "../../src/contract/orchestrator/catalog-digest.ts";
import { packCatalog } from "../catalog/pack-folder.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { describeWarnings, invalidCatalog } from "./catalog.ts";

interface PushOptions {
  readonly dryRun?: boolean;
  readonly ifVersion?: number;
}

export const catalogPushCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("push <folder>")
    .description("Replace the catalog of the product's engines by the files of a folder, whole or not at all")
    .option("--dry-run", "check the folder and show what would change")
    .option("--if-version <n>", "push only if this version is the current one", wholeNumber)
    .addHelpText("after", example("orchctl catalog push ./catalog"))
    .action(async (folder: string, { dryRun = false, ifVersion }: PushOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const { archive, files } = await packCatalog(folder);
      const doing = `${dryRun ? "checking" : "pushing"} ${files.length} files (${Math.ceil(archive.length / 1024)} KiB)`;
      const pushed = await client.platform(
        async (orchestrator) => {
          // `If-Match` of the version just read, so that a concurrent push is not overwritten.
          const version = ifVersion ?? (await orchestrator.catalog.get()).version;
          return orchestrator.catalog.push(archive, { dryRun, ifVersion: version }).catch(refuseInvalid);
        },
        { doing },
      );
      print.document(pushed, () => describePushed(pushed).join("\n"));
    });
};

function refuseInvalid(error: unknown): never {
  const errors = error instanceof OrchdError && error.code === "CATALOG_INVALID" ? error.details["errors"] : undefined;
  throw Array.isArray(errors) ? invalidCatalog(errors as CatalogFault[], "nothing was changed") : error;
}

export const catalogDiffCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("diff <folder>")
    .description("Show which files of a folder differ from the product's current catalog")
    .addHelpText("after", example("orchctl catalog diff ./catalog"))
    .action(async (folder: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const { files } = await packCatalog(folder);
      const current = await client.platform((orchestrator) => orchestrator.catalog.get());
      const changes = catalogChanges(current.files, files);
      print.document({ version: current.version, ...changes }, () => {
        const lines = describeChanges(changes);
        return lines.length === 0 ? `no difference from version ${current.version}` : lines.join("\n");
      });
    });
};

export function describePushed(pushed: CatalogPushed): readonly string[] {
  const { version, is_new: isNew, engines, changes, restored_from: from } = pushed;
  const head =
    engines === null
      ? `the catalog is valid; the current version is ${version}`
      : isNew
        ? `version ${version} is current${from === null ? "" : `, with the files of version ${from}`}`
        : `version ${version} has these files already`;
  return [
    ...(isNew ? describeChanges(changes) : []),
    ...describeWarnings(pushed.warnings),
    head,
    ...(engines === null ? [] : describeEngines(engines)),
  ];
}

const describeChanges = ({ added, changed, removed }: CatalogChanges): readonly string[] => [
  ...added.map((path) => `+ ${safe(path)}`),
  ...changed.map((path) => `~ ${safe(path)}`),
  ...removed.map((path) => `- ${safe(path)}`),
];

const describeEngines = ({ running, reloaded, failed }: CatalogRollout): readonly string[] => [
  `${reloaded} of ${running} running engines use it; the others do from their next start`,
  ...failed.map(({ user_id: user, reason }) => `${safe(user)} does not: ${safe(reason)}`),
];
