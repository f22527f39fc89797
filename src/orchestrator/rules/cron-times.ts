import { Cron } from "croner";

/** The fields of a cron expression without seconds, in their order. */
const FIELDS = ["minute", "hour", "day of month", "month", "day of week"] as const;
const NICKNAMES = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

interface CronTiming {
  readonly cron: string;
  readonly time_zone: string;
}

/** What is wrong with a cron expression, and in which field; null when nothing is. */
export function cronProblem(expression: string): string | null {
  if (expression.startsWith("@")) {
    return NICKNAMES.includes(expression) ? null : `unknown name ${expression}; expected ${NICKNAMES.join(", ")}`;
  }
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6)
    return `expected 5 fields (${FIELDS.join(", ")}), or 6 with the second first, got ${expression.trim() === "" ? 0 : parts.length}`;
  const names = parts.length === 6 ? ["second", ...FIELDS] : FIELDS;
  for (const [index, part] of parts.entries()) {
    const alone = parts.map((_, at) => (at === index ? part : "*")).join(" ");
    const problem = reasonOf(alone);
    if (problem !== null) return `field ${index + 1} (${names[index] ?? ""}), ${JSON.stringify(part)}: ${problem}`;
  }
  return reasonOf(expression) ?? (nextOf({ cron: expression, time_zone: "UTC" }, 0) === null ? NEVER : null);
}

const NEVER = "no date matches it";

/** Removes numbers from croner's messages, some of which count fields, days and months from 0. */
function reasonOf(expression: string): string | null {
  try {
    cronOf({ cron: expression, time_zone: "UTC" });
    return null;
  } catch (error) {
    const text =
      error instanceof Error
        ? error.message.replace(/^CronPattern: (configuration entry \d+ \(.*?\) )?/, "")
        : String(error);
    return text.startsWith("Invalid value") ? "the value is out of range" : text;
  }
}

/** What is wrong with the name of a time zone; null when nothing is. */
export function timeZoneProblem(name: string): string | null {
  const problem = `unknown time zone ${JSON.stringify(name)}; expected a name of the IANA database such as Europe/Berlin`;
  if (!TIME_ZONE.test(name)) return problem;
  try {
    new Date(0).toLocaleString("en", { timeZone: name });
    return null;
  } catch {
    return problem;
  }
}

/** The first time after `after`, in milliseconds since the epoch; null when there is none. */
export const nextOf = (timing: CronTiming, after: number): number | null =>
  cronOf(timing).nextRun(new Date(after))?.getTime() ?? null;

/** The newest `count` times up to `until`, oldest first. */
export const lastOf = (timing: CronTiming, { until, count }: { until: number; count: number }): number[] =>
  cronOf(timing)
    .previousRuns(count, new Date(until + 1))
    .map((date) => date.getTime())
    .toReversed();

/** The day of month and the day of week are alternatives when both are given, as in crontab. */
const cronOf = ({ cron, time_zone: timezone }: CronTiming): Cron => new Cron(cron, { timezone, paused: true });
