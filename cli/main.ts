import { CommanderError } from "commander";
import { exitOnInterrupt, exitWithoutReader } from "../src/shared/shutdown-signals.ts";
import { describeFailure, indented } from "./client-failure.ts";
import { CliFailure, EXIT_CODES } from "./exit-codes.ts";
import { emit, safeJson } from "./output.ts";
import { createProgram } from "./program.ts";
import { readSettings } from "./settings.ts";

/** Runs one command line and sets the exit code. */
export async function run({ installDir }: { readonly installDir: string }): Promise<void> {
  exitOnInterrupt();
  exitWithoutReader(process.stdout);
  // A closed standard error is no failure: the exit code still reports the result.
  process.stderr.on("error", () => undefined);
  // Read before the arguments are parsed, because parsing may fail.
  const json = process.argv.includes("--json");
  try {
    const printError = (message: string) => printUsageError(message, json);
    // Commander writes help in several pieces, which are not documents.
    const printHelp = json ? () => undefined : undefined;
    await createProgram(readSettings(installDir), printError, printHelp).parseAsync();
  } catch (error) {
    printFailure(error, json);
  }
}

function printUsageError(message: string, json: boolean): void {
  const text = message.trim().replace(/^error: /, "");
  emit(process.stderr, json ? failureDocument("usage", text) : `orchctl: ${indented(text)}\n(add --help for usage)\n`);
}

function printFailure(error: unknown, json: boolean): void {
  // Commander has printed its error. Help and version exit with 0.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.ok.code : EXIT_CODES.usage.code;
    if (json && error.code === "commander.help") printUsageError("expected a command", json);
    return;
  }
  const known =
    error instanceof CliFailure
      ? error
      : new CliFailure("unexpected", error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = EXIT_CODES[known.exit].code;
  if (json) return emit(process.stderr, failureDocument(known.code ?? known.exit, known.message));
  emit(process.stderr, `${describeFailure(known)}\n`);
}

const failureDocument = (code: string, message: string): string => `${safeJson({ error: { code, message } })}\n`;
