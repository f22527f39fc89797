import type { MissedPolicy } from "../../src/client/records.ts";
import { Option } from "commander";
import type { TimingOptions } from "../../src/client/schedules.ts";
import { EFFORTS, type Effort } from "../../src/contract/engine/model-choice.ts";
import { MISSED_POLICIES } from "../../src/contract/orchestrator/schedule-runs.ts";
import { CliFailure } from "../exit-codes.ts";
import { duration, interval, wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { nextText } from "../schedule-text.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

interface CreateOptions {
  readonly at?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly every?: number;
  readonly anchor?: string;
  readonly task?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: Effort;
  readonly missed?: MissedPolicy;
  readonly missedLimit?: number;
  readonly spread?: number;
  readonly ends?: string;
  readonly paused: boolean;
}

export const scheduleCreateCommand: CommandMaker = (schedules, settings) => {
  schedules
    .command("create <user> <name> <message...>")
    .description("Create a schedule that sends a message to a user's engine")
    .option("--at <time>", "run once, at an ISO 8601 time with its offset")
    .addOption(new Option("--cron <expression>", "run by a cron expression").conflicts(["at", "every"]))
    .option("--time-zone <name>", "the IANA time zone of --cron (default: UTC)")
    .addOption(new Option("--every <time>", "run at an interval such as 15m").argParser(interval).conflicts("at"))
    .option("--anchor <time>", "a time from which --every counts (default: now)")
    .option("--task <id>", "the conversation of every run (default: one for each run)")
    .option("--agent <name>", "the agent that answers")
    .option("--model <name>", "the model that answers (default: the agent's)")
    .addOption(new Option("--effort <effort>", "how much the model reasons (default: the agent's)").choices(EFFORTS))
    .addOption(new Option("--missed <policy>", "what to do about missed runs (default: skip)").choices(MISSED_POLICIES))
    .option("--missed-limit <n>", "with --missed run_all: how many runs at most", wholeNumber)
    .option("--spread <time>", "start later by a part of this time that is this schedule's own", duration)
    .option("--ends <time>", "an ISO 8601 time from which it does not run")
    .option("--paused", "create it paused", false)
    .addHelpText(
      "after",
      example('orchctl schedules create alice briefing "What is new?" --cron "0 8 * * 1-5" --time-zone Europe/Berlin'),
    )
    .action(async (user: string, name: string, words: string[], options: CreateOptions, command) => {
      const { client, print } = sessionOf(command, settings);
      const { task, agent, model, effort, missed, missedLimit, spread, ends, paused } = options;
      const request = {
        name,
        timing: timingOf(options),
        message: words.join(" "),
        ...(task !== undefined && { task_id: task }),
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
        ...(effort !== undefined && { effort }),
        ...(missed !== undefined && { missed }),
        ...(missedLimit !== undefined && { missed_limit: missedLimit }),
        ...(spread !== undefined && { spread_s: spread }),
        ...(ends !== undefined && { ends_at: ends }),
        ...(paused && { enabled: false }),
      };
      const made = await client.platform((orchestrator) => orchestrator.schedules.create(user, request), { user });
      print.document(made, () => `${safe(name)} ${nextText(made)}`);
    });
};

function timingOf({ at, cron, timeZone, every, anchor }: CreateOptions): TimingOptions {
  if (at !== undefined) return { kind: "at", at };
  if (cron !== undefined) return { kind: "cron", cron, ...(timeZone !== undefined && { time_zone: timeZone }) };
  if (every === undefined) throw new CliFailure("usage", "expected one of --at, --cron and --every");
  return { kind: "every", every_s: every, ...(anchor !== undefined && { anchor_at: anchor }) };
}
