import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onInterrupt } from "../../src/shared/shutdown-signals.ts";
import { CliFailure, EXIT_CODES } from "../exit-codes.ts";
import { layoutOf } from "../release/release-layout.ts";
import { serviceAccount } from "../release/service-account.ts";
import { type CommandMaker, example } from "../session.ts";
import type { Settings } from "../settings.ts";

export const backupVerifyCommand: CommandMaker = (backup, settings) => {
  backup
    .command("verify <file>")
    .description("Check a backup on this machine: every hash, record and memory (- for standard input)")
    .addHelpText("after", example("orchctl backup verify orchd-1f0c2a9b-20261122T143000000Z.tar.gz"))
    .action((file: string, _options, command) => runDaemon(settings, ["--verify", file], command.optsWithGlobals()));
};

export const backupRestoreCommand: CommandMaker = (backup, settings) => {
  backup
    .command("restore <file>")
    .description("Restore a backup into an empty data folder, with the settings of the daemon, which must not run")
    .option("--resume-schedules", "run the schedules at once; without, they stay paused", false)
    .addHelpText("after", example("orchctl backup restore orchd-1f0c2a9b-20261122T143000000Z.tar.gz"))
    .action((file: string, { resumeSchedules }: { readonly resumeSchedules: boolean }, command) =>
      runDaemon(
        settings,
        ["--restore", file, ...(resumeSchedules ? ["--resume-schedules"] : [])],
        command.optsWithGlobals(),
      ),
    );
};

/**
 * Both run the daemon's program, which knows the database and the stores. It gets the settings of the service, or
 * in a checkout the environment of this program.
 */
async function runDaemon(
  { installDir, environment }: Settings,
  [option, file, ...more]: readonly [string, string, ...string[]],
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const account = await serviceAccount(layoutOf("/"), installDir);
  // Opened here, because the service's user may not be able to read the caller's file.
  const input = account === null || file === "-" ? null : await openArchive(file);
  const args = [
    join(installDir, "bin/orchd.js"),
    option,
    input === null ? file : "-",
    ...more,
    ...(json ? ["--json"] : []),
  ];
  // A Ctrl-C reaches that program too. It removes its incomplete files.
  const undo = onInterrupt(() => undefined);
  try {
    const child = spawn(process.execPath, args, {
      stdio: [input?.fd ?? "inherit", "inherit", json ? "pipe" : "inherit"],
      ...(account !== null && { ...account, env: { ...environment, ...account.env }, cwd: "/" }),
    });
    const [[code], printed] = await Promise.all([
      once(child, "close"),
      child.stderr === null ? "" : text(child.stderr),
    ]);
    if (code === 0) return;
    if (code === EXIT_CODES.interrupted.code) throw new CliFailure("interrupted", "interrupted");
    if (json) throw new CliFailure("conflict", lastLine(printed) || "the daemon's program ended unexpectedly");
    // The daemon's program has printed the reason.
    process.exitCode = EXIT_CODES.conflict.code;
  } finally {
    undo();
    await input?.close();
  }
}

const openArchive = (file: string): Promise<FileHandle> =>
  open(file).catch((error: unknown) => {
    throw new CliFailure(
      "conflict",
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  });

const lastLine = (text: string): string =>
  text
    .trim()
    .split("\n")
    .at(-1)
    ?.replace(/^orchd: /, "") ?? "";
