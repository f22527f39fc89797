import { Option } from "commander";
import { LOG_TAIL } from "../../src/contract/orchestrator/log-tail.ts";
import {
  LEVELS,
  type Level,
  type LogLine,
  describeLine,
  hasLevel,
  parseLogLine,
  rawLine,
  styleOf,
  timeOf,
} from "../log-line.ts";
import { duration, wholeNumber } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface Options {
  readonly tail?: number;
  readonly follow: boolean;
  readonly level?: Level;
  readonly since?: number;
}

export const logsCommand: CommandMaker = (program, settings) => {
  program
    .command("logs <user>")
    .description("Print an engine's log; with --json its lines as they are")
    .option("-n, --tail <lines>", `how many of the last lines (default: ${LOG_TAIL.fallback})`, wholeNumber)
    .option("-f, --follow", "continue with each new line", false)
    .addOption(new Option("--level <level>", "only lines of this level or a higher one").choices(Object.keys(LEVELS)))
    .option("--since <time>", "only lines of this last time, such as 10m", duration)
    .addHelpText("after", example("orchctl logs alice --since 10m --level warn -f"))
    .action(async (user: string, { tail, follow, level, since }: Options, command) => {
      const { client, print } = sessionOf(command, settings);
      const isWanted = selection({ level, after: since === undefined ? null : Date.now() - since * 1000 });
      const show = (line: LogLine) =>
        print.json ? print.record(rawLine(line)) : print.line(describeLine(line), styleOf(line));
      // A filter applies to the whole log, unless a number of lines is given.
      const isFiltered = level !== undefined || since !== undefined;
      const lines = tail ?? (isFiltered ? LOG_TAIL.max : LOG_TAIL.fallback);
      await client.platform(
        async (orchestrator) => {
          for await (const text of orchestrator.logs(user, { tail: lines, follow })) {
            const line = parseLogLine(text);
            if (isWanted(line)) show(line);
          }
        },
        { user, doing: null },
      );
    });
};

/** Text without a time belongs to the line before it. */
function selection({ level, after }: { readonly level: Level | undefined; readonly after: number | null }) {
  let isLate = after === null;
  return (line: LogLine): boolean => {
    const time = timeOf(line);
    if (after !== null && time !== null) isLate = time >= after;
    return isLate && (level === undefined || hasLevel(line, level));
  };
}
