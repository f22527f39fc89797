import { CommanderError } from "commander";
import { exitWithoutReader } from "../src/shared/shutdown-signals.ts";
import { describeFailure, indented } from "./describe-failure.ts";
import { CliFailure, EXIT_CODES } from "./exit-codes.ts";
import { emit, safeJson } from "./output.ts";
import { createProgram } from "./program.ts";
import { readSettings } from "./settings.ts";

/** One command line, from its arguments to its exit code. */
export async function run(): Promise<void> {
  exitWithoutReader(process.stdout);
  // Who has closed standard error does not want to be told; the exit code says it still.
  process.stderr.on("error", () => undefined);
  // Asked before the arguments are understood: they may not be.
  const json = process.argv.includes("--json");
  try {
    await createProgram(readSettings(), (message) => tellUsage(message, json)).parseAsync();
  } catch (error) {
    fail(error, json);
  }
}

function tellUsage(message: string, json: boolean): void {
  const words = message.trim().replace(/^error: /, "");
  emit(
    process.stderr,
    json ? failureDocument("usage", words) : `orchctl: ${indented(words)}\n(add --help to see what is expected)\n`,
  );
}

function fail(error: unknown, json: boolean): void {
  // commander has said what is wrong by itself; help and version end with 0.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.ok.code : EXIT_CODES.usage.code;
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
