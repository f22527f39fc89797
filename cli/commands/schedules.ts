import type { ScheduleRecord } from "../../src/contract/schedule-records.ts";
import { safe } from "../output.ts";
import { findSchedule, firstRuns, runTable } from "../schedule-names.ts";
import { nextText, timingText } from "../schedule-text.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";

export const scheduleListCommand: CommandMaker = (schedules, settings) => {
  schedules
    .command("list <user>")
    .alias("ls")
    .description("List a user's schedules with their next and last runs")
    .addHelpText("after", example("orchctl schedules list alice"))
    .action(async (user: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const data = await client.platform((orchestrator) => Array.fromAsync(orchestrator.schedules.list(user)), {
        user,
      });
      const rows = data.map(({ name, timing, enabled, next_due_at: next, last_run: last, id }) => [
        name,
        timingText(timing),
        enabled ? next : "paused",
        last && `${last.state} ${ago(last.ended_at ?? last.due_at, Date.now())}`,
        id,
      ]);
      print.document({ data, next_cursor: null }, (columns) =>
        table(["NAME", "WHEN", "NEXT", "LAST", "ID"], rows, columns),
      );
    });
};

export const scheduleShowCommand: CommandMaker = (schedules, settings) => {
  schedules
    .command("show <user> <name>")
    .description("Show a schedule with its next and last runs")
    .addHelpText("after", example("orchctl schedules show alice briefing"))
    .action(async (user: string, name: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const { schedule, runs } = await client.platform(
        async (orchestrator) => {
          const schedule = await findSchedule(orchestrator, user, name);
          return { schedule, runs: await firstRuns(orchestrator.schedules.runs(user, schedule.id)) };
        },
        { user },
      );
      print.document({ ...schedule, runs }, (columns) =>
        [describe(schedule, columns), "", runTable(runs, columns)].join("\n"),
      );
    });
};

const describe = (schedule: ScheduleRecord, columns: number | null): string =>
  fields(
    [
      ["name", schedule.name],
      ["id", schedule.id],
      ["when", timingText(schedule.timing)],
      ["message", schedule.message],
      ["conversation", schedule.task_id ?? "one for each run"],
      ["agent", schedule.agent],
      ["missed runs", schedule.missed],
      ["next runs", schedule.enabled ? schedule.next_runs.join(", ") : "paused"],
      ["ends", schedule.ends_at],
    ],
    columns,
  );

const switchCommand =
  (verb: "pause" | "resume", description: string): CommandMaker =>
  (schedules, settings) => {
    schedules
      .command(`${verb} <user> <name>`)
      .description(description)
      .addHelpText("after", example(`orchctl schedules ${verb} alice briefing`))
      .action(async (user: string, name: string, _options, command) => {
        const { client, print } = sessionOf(command, settings);
        const changed = await client.platform(
          async (orchestrator) => {
            const { id } = await findSchedule(orchestrator, user, name);
            return orchestrator.schedules.change(user, id, { enabled: verb === "resume" });
          },
          { user },
        );
        print.document(changed, () => `${safe(changed.name)} ${nextText(changed)}`);
      });
  };

export const schedulePauseCommand = switchCommand("pause", "Pause a schedule");
export const scheduleResumeCommand = switchCommand("resume", "Resume a schedule; what it missed is not made up for");

export const scheduleRunCommand: CommandMaker = (schedules, settings) => {
  schedules
    .command("run <user> <name>")
    .description("Run a schedule now")
    .addHelpText("after", example("orchctl schedules run alice briefing"))
    .action(async (user: string, name: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const run = await client.platform(
        async (orchestrator) => {
          const { id } = await findSchedule(orchestrator, user, name);
          return orchestrator.schedules.run(user, id);
        },
        { user },
      );
      print.document(run, () => `started ${run.id}; orchctl schedules show ${safe(user)} ${safe(name)} shows its end`);
    });
};

export const scheduleDeleteCommand: CommandMaker = (schedules, settings) => {
  schedules
    .command("delete <user> <name>")
    .alias("rm")
    .description("Delete a schedule and its runs")
    .addHelpText("after", example("orchctl schedules delete alice briefing"))
    .action(async (user: string, name: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const deleted = await client.platform(
        async (orchestrator) => {
          const { id } = await findSchedule(orchestrator, user, name);
          return orchestrator.schedules.delete(user, id);
        },
        { user },
      );
      print.document(deleted, () => `deleted ${safe(name)}`);
    });
};
