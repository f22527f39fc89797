import type { ScheduleRecord } from "../../src/client/records.ts";
import { safe } from "../output.ts";
import { lastRun, resource } from "../resource.ts";
import { nextText, timingText } from "../schedule-text.ts";

const schedules = resource<ScheduleRecord>({
  kind: "schedule",
  example: "briefing",
  calls: (client) => client.schedules,
  columns: {
    NAME: ({ name }) => name,
    WHEN: ({ timing }) => timingText(timing),
    NEXT: ({ enabled, next_due_at: next }) => (enabled ? next : "paused"),
    LAST: lastRun,
    ID: ({ id }) => id,
  },
  fields: (schedule) => [
    ["name", schedule.name],
    ["id", schedule.id],
    ["when", timingText(schedule.timing)],
    ["message", schedule.message],
    ["conversation", schedule.task_id ?? "one for each run"],
    ["agent", schedule.agent],
    ["model", schedule.model],
    ["effort", schedule.effort],
    ["missed runs", schedule.missed],
    ["next runs", schedule.enabled ? schedule.next_runs.join(", ") : "paused"],
    ["ends", schedule.ends_at],
  ],
  descriptions: {
    list: "List a user's schedules with their next and last runs",
    show: "Show a schedule with its next and last runs",
    pause: "Pause a schedule",
    resume: "Resume a schedule; what it missed is not made up for",
    delete: "Delete a schedule and its runs",
  },
  switched: (schedule) => `${safe(schedule.name)} ${nextText(schedule)}`,
});

export const {
  list: scheduleListCommand,
  show: scheduleShowCommand,
  pause: schedulePauseCommand,
  resume: scheduleResumeCommand,
  remove: scheduleDeleteCommand,
} = schedules;

export const scheduleRunCommand = schedules.one(
  { verb: "run", description: "Run a schedule now" },
  (client, user, id) => client.schedules.run(user, id),
  (run, user, name) => `started ${run.id}; orchctl schedules show ${safe(user)} ${safe(name)} shows its end`,
);
