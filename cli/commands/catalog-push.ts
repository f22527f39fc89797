import type { Command } from "commander";
import type { CatalogChanges, CatalogFault, CatalogPushed, CatalogRollout } from "../../src/client/records.ts";
import type { PushCatalogOptions } from "../../src/client/catalog-calls.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import { catalogChanges } from "../../src/contract/orchestrator/catalog-digest.ts";
import { packCatalog } from "../catalog/pack-folder.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { describeWarnings, invalidCatalog } from "./catalog.ts";

type TriedCall = NonNullable<PushCatalogOptions["tried"]>;

interface PushOptions {
  readonly dryRun?: boolean;
  readonly try?: readonly string[];
  readonly ifVersion?: number;
}

export const catalogPushCommand: CommandMaker = (catalog, settings) => {
  catalog
    .command("push <folder>")
    .description("Replace the catalog of the product's engines by the files of a folder, whole or not at all")
    .option("--dry-run", "check the folder and show what would change")
    .option(
      "--try <tool and input...>",
      'with --dry-run: say which rule decides a call, such as read_file \'{"path":"a"}\'',
    )
    .option("--if-version <n>", "push only if this version is the current one", wholeNumber)
    .addHelpText("after", example("orchctl catalog push ./catalog"))
    .action(async (folder: string, { dryRun = false, ifVersion, try: words }: PushOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const tried = triedCall(words, dryRun, command);
      const { archive, files } = await packCatalog(folder);
      const doing = `${dryRun ? "checking" : "pushing"} ${files.length} files (${Math.ceil(archive.length / 1024)} KiB)`;
      const pushed = await client.platform(
        async (orchestrator) => {
          // `If-Match` of the version just read, so that a concurrent push is not overwritten.
          const version = ifVersion ?? (await orchestrator.catalog.get()).version;
          return orchestrator.catalog.push(archive, { dryRun, tried, ifVersion: version }).catch(refuseInvalid);
        },
        { doing },
      );
      print.document(pushed, () => describePushed(pushed).join("\n"));
    });
};

function triedCall(words: readonly string[] | undefined, dryRun: boolean, command: Command): TriedCall | undefined {
  if (words === undefined) return undefined;
  const [tool, text = "{}", ...others] = words;
  if (!dryRun) command.error("error: --try: expected together with --dry-run");
  if (tool === undefined || others.length > 0) command.error("error: --try: expected a tool and its input as JSON");
  const input = jsonObject(text);
  if (input === null)
    command.error(`error: --try: expected the input as a JSON object, got ${safe(text.slice(0, 100))}`);
  return { tool, input };
}

function jsonObject(text: string): TriedCall["input"] | null {
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === "object" && !Array.isArray(input) ? (input as TriedCall["input"] | null) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

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
    ...describeTried(pushed.tried),
    head,
    ...(engines === null ? [] : describeEngines(engines)),
  ];
}

function describeTried(rule: CatalogPushed["tried"]): readonly string[] {
  if (rule === undefined) return [];
  if (rule === null) return ["no rule decides the call: the permission of agent and tool counts"];
  const { permission, path, line, reason } = rule;
  return [`${safe(path)}:${line} decides the call: ${permission}${reason === null ? "" : ` (${safe(reason)})`}`];
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
