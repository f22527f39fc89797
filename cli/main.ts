import { Command, CommanderError } from "commander";
import { VERSION } from "../src/kit/version.ts";
import { chatCommand } from "./commands/chat.ts";
import { completionCommand } from "./commands/completion.ts";
import { engineCommands } from "./commands/engines.ts";
import { healthCommand } from "./commands/health.ts";
import { logsCommand } from "./commands/logs.ts";
import { productCommands } from "./commands/products.ts";
import { CliFailure, EXIT_CODES } from "./exit-codes.ts";
import { readSettings } from "./settings.ts";

const EXIT_TABLE = Object.values(EXIT_CODES)
  .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
  .join("\n");

/** One command line, from its arguments to its exit code. */
export async function run(): Promise<void> {
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const program = createProgram();
  try {
    await program.parseAsync();
  } catch (error) {
    fail(error, program.opts<{ json?: boolean }>().json ?? false);
  }
}

function createProgram(): Command {
  const settings = readSettings();
  const program = new Command("orchctl")
    .description("Control orchd: products, engines, and talking to them")
    .version(VERSION)
    .option("--json", "print JSON for programs")
    .option("--product <slug>", "the product to work for (ORCH_PRODUCT; else the current one)")
    .option("--url <url>", "where orchd is (ORCH_URL; else http://127.0.0.1:7700)")
    .showHelpAfterError("(orchctl --help tells more)")
    .addHelpText(
      "after",
      `\nExit codes:\n${EXIT_TABLE}\n\nKeys come from ORCH_ADMIN_KEY, ORCH_PLATFORM_KEY, ORCH_ENGINE_KEY, a …_FILE variable, the\nkept credentials or a prompt; never from an argument.`,
    )
    .exitOverride();
  productCommands(program, settings);
  engineCommands(program, settings);
  chatCommand(program, settings);
  logsCommand(program, settings);
  healthCommand(program, settings);
  completionCommand(program);
  for (const command of everyCommand(program)) command.exitOverride();
  return program;
}

const everyCommand = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child, ...everyCommand(child)]);

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
  const words = json
    ? JSON.stringify({ error: { code: known.code ?? known.exit, message: known.message } })
    : `orchctl: ${known.message}`;
  process.stderr.write(`${words}\n`);
}
