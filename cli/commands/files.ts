import { basename } from "node:path";
import { ARCHIVE_FORMATS } from "../../src/contract/engine/file-limits.ts";
import type { OpenFile } from "../../src/client/engine-files.ts";
import { Option } from "commander";
import { withEngine } from "../connect-engine.ts";
import { CliFailure } from "../exit-codes.ts";
import { contentOf } from "../local-content.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { table } from "../table.ts";
import { confirm, destructive } from "../confirm.ts";
import { writeWhole } from "../write-whole.ts";

const listCommand: CommandMaker = (files, settings) => {
  files
    .command("ls <user> [path]")
    .alias("list")
    .description("List a folder of an engine's workspace")
    .option("-r, --recursive", "with what its folders contain", false)
    .option("-n, --limit <count>", "how many at most", wholeNumber, 1000)
    .addHelpText("after", example("orchctl files ls alice reports"))
    .action(async (user: string, path: string | undefined, options: { recursive: boolean; limit: number }, command) => {
      const session = sessionOf(command, settings);
      const list = await withEngine(session, user, (engine) => engine.files.list({ ...options, path }));
      const rows = list.entries.map(({ path: name, type, bytes, modified_at: at }) => [
        at.slice(0, 16).replace("T", " "),
        bytes === null ? type : String(bytes),
        type === "folder" ? `${name}/` : name,
      ]);
      session.print.document(list, (columns) =>
        rows.length === 0 ? "no files" : table(["CHANGED", "BYTES", "PATH"], rows, columns),
      );
      if (list.truncated) session.print.note("There are more: --limit, or list a folder of it");
      if (list.unreadable > 0) session.print.note(`${list.unreadable} could not be read or named`);
    });
};

const getCommand: CommandMaker = (files, settings) => {
  files
    .command("get <user> <path>")
    .description("Download a file of an engine's workspace")
    .option("-o, --output <file>", "the file to write; it appears when it is complete (default: its name, here)")
    .option("--artifact", "the path is the id of a published version", false)
    .addHelpText("after", example("orchctl files get alice reports/june.csv"))
    .action(async (user: string, path: string, options: { output?: string; artifact: boolean }, command) => {
      const session = sessionOf(command, settings);
      const output = options.output ?? localName(path);
      await withEngine(
        session,
        user,
        async (engine) =>
          writeWhole(output, (await engine.files.read(options.artifact ? { artifactId: path } : { path })).chunks),
        `downloading ${path}`,
      );
      session.print.document({ file: output }, () => `wrote ${safe(output)}`);
    });
};

const putCommand: CommandMaker = (files, settings) => {
  files
    .command("put <user> <file> [path]")
    .description("Upload a file (- for standard input) into an engine's workspace")
    .option("--new", "only if there is no file at the path", false)
    .addHelpText("after", example("orchctl files put alice june.csv reports/june.csv"))
    .action(async (user: string, file: string, path: string | undefined, options: { new: boolean }, command) => {
      const session = sessionOf(command, settings);
      const content = await contentOf(file);
      const stored = await withEngine(
        session,
        user,
        (engine) => engine.files.write(path ?? localName(file), content, options.new ? { ifNoneMatch: "*" } : {}),
        `uploading ${file}`,
      );
      session.print.document(stored, () => `${stored.created ? "wrote" : "replaced"} ${safe(stored.path)}`);
    });
};

const removeCommand: CommandMaker = (files, settings) => {
  destructive(files.command("rm <user> <path>"))
    .alias("delete")
    .description("Remove a file or an empty folder of an engine's workspace")
    .option("-r, --recursive", "a folder with what it contains", false)
    .addHelpText("after", example("orchctl files rm alice reports --recursive"))
    .action(async (user: string, path: string, options: { recursive: boolean; yes: boolean }, command) => {
      const session = sessionOf(command, settings);
      const context = { user, url: session.settings.url };
      await confirm(`Remove ${safe(path)} of ${safe(user)}?`, { yes: options.yes, context });
      const { recursive } = options;
      const gone = await withEngine(session, user, (engine) => engine.files.remove(path, { recursive }));
      session.print.document(gone, () => `removed ${safe(gone.path)}`);
    });
};

const moveCommand: CommandMaker = (files, settings) => {
  files
    .command("mv <user> <from> <to>")
    .description("Move a file or folder of an engine's workspace")
    .option("--overwrite", "replace a file at the new path", false)
    .addHelpText("after", example("orchctl files mv alice draft.csv reports/june.csv"))
    .action(async (user: string, from: string, to: string, options: { overwrite: boolean }, command) => {
      const session = sessionOf(command, settings);
      const moved = await withEngine(session, user, (engine) => engine.files.move(from, to, options));
      session.print.document(moved, () => `moved ${safe(moved.from)} to ${safe(moved.to)}`);
    });
};

const archiveCommand: CommandMaker = (files, settings) => {
  files
    .command("archive <user> [path]")
    .description("Download a folder of an engine's workspace as one archive")
    .addOption(new Option("--format <format>", "its format").choices(ARCHIVE_FORMATS).default("tar.gz"))
    .option(
      "-o, --output <file>",
      "the file to write; it appears when it is complete (default: the folder's name, here)",
    )
    .addHelpText("after", example("orchctl files archive alice reports --format zip"))
    .action(
      async (
        user: string,
        path: string | undefined,
        { format, output: given }: { format: (typeof ARCHIVE_FORMATS)[number]; output?: string },
        command,
      ) => {
        const session = sessionOf(command, settings);
        const output = given ?? `${path === undefined ? "workspace" : localName(path)}.${format}`;
        const open = async (archive: Promise<OpenFile>) => writeWhole(output, (await archive).chunks);
        await withEngine(
          session,
          user,
          (engine) => open(engine.files.archive({ path, format })),
          `downloading ${path ?? "the workspace"}`,
        );
        session.print.document({ file: output }, () => `wrote ${safe(output)}`);
      },
    );
};

const linkCommand: CommandMaker = (files, settings) => {
  files
    .command("link <user> <path>")
    .description("Make a link that reads one file of an engine's workspace without a key")
    .option("--ttl <seconds>", "how long it is valid, at most 3600", wholeNumber, 600)
    .addHelpText("after", example("orchctl files link alice reports/june.csv --ttl 60"))
    .action(async (user: string, path: string, { ttl }: { ttl: number }, command) => {
      const session = sessionOf(command, settings);
      const made = await withEngine(session, user, (engine) => engine.files.link(path, { ttlS: ttl }));
      session.print.document(made, () => safe(made.url));
      if (!session.print.json) session.print.note(`Whoever has it can read the file until ${made.expires_at}`);
    });
};

const artifactsCommand: CommandMaker = (files, settings) => {
  files
    .command("artifacts <user> <task>")
    .description("List what an engine's agent has published in a conversation, the newest first")
    .addHelpText("after", example("orchctl files artifacts alice t1"))
    .action(async (user: string, taskId: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const list = await withEngine(session, user, (engine) => engine.files.artifacts(taskId));
      const rows = list.items.map((one) => [
        one.created_at.slice(0, 16).replace("T", " "),
        `${one.version}`,
        one.title,
        one.path,
        one.kept ? one.artifact_id : `${one.artifact_id} (removed)`,
      ]);
      session.print.document(list, (columns) =>
        rows.length === 0 ? "nothing yet" : table(["DATE", "VERSION", "TITLE", "PATH", "ID"], rows, columns),
      );
    });
};

/** The name of a file on this host or of one in the workspace, where the other side has none. */
function localName(path: string): string {
  const name = basename(path);
  if (path !== "-" && name !== "" && name !== "." && name !== "..") return name;
  throw new CliFailure("usage", `${path} has no name of its own: give the other one too`);
}

export const FILE_COMMANDS: readonly CommandMaker[] = [
  listCommand,
  getCommand,
  putCommand,
  removeCommand,
  moveCommand,
  archiveCommand,
  linkCommand,
  artifactsCommand,
];
