import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Destructive, confirm, destructive } from "../confirm.ts";
import { OrchdError } from "../../src/client/orchd-error.ts";
import type { KnowledgePassage, ProductKnowledge } from "../../src/client/records.ts";
import { CliFailure } from "../exit-codes.ts";
import { findDocuments } from "../knowledge/find-documents.ts";
import { wholeNumber } from "../option-values.ts";
import { safe, safeLines } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";

interface PutOptions {
  readonly prefix?: string;
  readonly prune?: boolean;
}

const putCommand: CommandMaker = (group, settings) => {
  group
    .command("put <paths...>")
    .description("Store files, or those of folders: Markdown, text, HTML and PDF. Unchanged ones are not sent")
    .option("--prefix <path>", "what the paths of the documents begin with, such as help/")
    .option("--prune", "delete the documents below the prefix that are not among the files")
    .addHelpText("after", example("orchctl knowledge put ./docs --prune"))
    .action(async (places: readonly string[], { prefix = "", prune = false }: PutOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const files = await findDocuments(places, prefix);
      if (files.length === 0) throw new CliFailure("usage", "no file ends in .md, .txt, .html or .pdf");
      const outcome = await client.platform(async ({ knowledge }) => {
        const { documents } = await knowledge.list();
        const known = new Map(documents.map(({ path, sha256 }) => [path, sha256]));
        const stored: string[] = [];
        const refused: { readonly path: string; readonly reason: string }[] = [];
        for (const { file, path } of files) {
          const content = new Uint8Array(await readFile(file));
          if (known.get(path) === createHash("sha256").update(content).digest("hex")) continue;
          try {
            await knowledge.put(path, content);
            stored.push(path);
          } catch (error) {
            if (!(error instanceof OrchdError) || error.code !== "KNOWLEDGE_DOCUMENT_INVALID") throw error;
            refused.push({ path, reason: error.message });
          }
        }
        const given = new Set(files.map(({ path }) => path));
        const extra = prune ? [...known.keys()].filter((path) => path.startsWith(prefix) && !given.has(path)) : [];
        for (const path of extra) await knowledge.delete(path);
        return { stored, deleted: extra, refused, unchanged: files.length - stored.length - refused.length };
      });
      print.document(outcome, () => describePut(outcome).join("\n"));
      if (outcome.refused.length > 0)
        throw new CliFailure("usage", `${outcome.refused.length} files cannot be read`, "KNOWLEDGE_DOCUMENT_INVALID");
    });
};

const describePut = (outcome: {
  readonly stored: readonly string[];
  readonly deleted: readonly string[];
  readonly refused: readonly { readonly reason: string }[];
  readonly unchanged: number;
}): readonly string[] => [
  ...outcome.stored.map((path) => `+ ${safe(path)}`),
  ...outcome.deleted.map((path) => `- ${safe(path)}`),
  ...outcome.refused.map(({ reason }) => `! ${safe(reason)}`),
  `${outcome.stored.length} stored, ${outcome.deleted.length} deleted, ${outcome.unchanged} unchanged`,
];

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list")
    .alias("ls")
    .description("List the documents of the product's knowledge")
    .addHelpText("after", example("orchctl knowledge list"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const known = await client.platform(({ knowledge }) => knowledge.list());
      const rows = known.documents.map(({ path, title, bytes, passages, updated_at: updated }) => [
        path,
        title,
        String(bytes),
        String(passages),
        updated,
      ]);
      print.document(known, (wide) =>
        [table(["PATH", "TITLE", "BYTES", "PASSAGES", "STORED"], rows, wide), ...describeVectors(known)].join("\n"),
      );
    });
};

/** Older daemons say nothing of vectors. */
function describeVectors({ embeddings, documents }: Partial<ProductKnowledge>): readonly string[] {
  if (!embeddings || documents?.length === 0) return [];
  const { model, embedded, waiting, last_error: error } = embeddings;
  const counts = `${embedded} passages have vectors of ${safe(model)}, ${waiting} wait for one`;
  return ["", counts, ...(error === null ? [] : [`the last call failed: ${safe(error)}`])];
}

const showCommand: CommandMaker = (group, settings) => {
  group
    .command("show <path>")
    .description("Show a document as engines search it, by passages")
    .addHelpText("after", example("orchctl knowledge show help/refunds.md"))
    .action(async (path: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const document = await client.platform(({ knowledge }) => knowledge.get(path));
      print.document(document, () => document.content.map(describePassage).join("\n\n"));
    });
};

const describePassage = ({
  number,
  heading,
  lines,
  pages,
  text,
}: Omit<KnowledgePassage, "number"> & { number: number }) =>
  [[`#${number}`, ...placeOf({ lines, pages }), ...heading].map(safe).join("  "), safeLines(text)].join("\n");

const placeOf = ({ lines, pages }: Pick<KnowledgePassage, "lines" | "pages">): readonly string[] =>
  lines === null ? (pages === null ? [] : [`pages ${pages.join("-")}`]) : [`lines ${lines.join("-")}`];

const deleteCommand: CommandMaker = (group, settings) => {
  destructive(group.command("delete <paths...>"))
    .description("Delete documents. Engines do not find them a moment later")
    .addHelpText("after", example("orchctl knowledge delete help/refunds.md"))
    .action(async (paths: readonly string[], { yes }: Destructive, command) => {
      const { client, print, settings: found } = sessionOf(command, settings);
      await confirm(`Delete ${paths.map((path) => safe(path)).join(", ")}?`, { yes, context: { url: found.url } });
      await client.platform(async ({ knowledge }) => {
        for (const path of paths) await knowledge.delete(path);
      });
      print.document({ deleted: paths }, () => `deleted ${paths.map((path) => safe(path)).join(", ")}`);
    });
};

const searchCommand: CommandMaker = (group, settings) => {
  group
    .command("search <question...>")
    .description("Search the documents as the engines' tool does")
    .option("--limit <n>", "the largest number of results", wholeNumber)
    .addHelpText("after", example("orchctl knowledge search how long can I return it"))
    .action(async (words: readonly string[], { limit }: { readonly limit?: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const found = await client.platform(({ knowledge }) => knowledge.search(words.join(" "), { limit }));
      print.document(found, () =>
        found.results.length === 0
          ? "no document matches"
          : found.results
              .map(({ source, heading, text }) => `[${safe(source)}] ${safe(heading.join(" > "))}\n${safeLines(text)}`)
              .join("\n\n"),
      );
    });
};

export const KNOWLEDGE_COMMANDS: readonly CommandMaker[] = [
  putCommand,
  listCommand,
  showCommand,
  deleteCommand,
  searchCommand,
];
