import { strict as assert } from "node:assert";
import fc from "fast-check";
import { nextDue } from "../../src/orchestrator/rules/due-times.ts";
import { property } from "../helpers/property.ts";
import { type CronFields, cronFields, cronText, instants, zones } from "./parts/cron-expressions.ts";
import { clockOf } from "./parts/zone-clock.ts";

const MINUTE = 60_000;
const MINUTES = 240;
const DAY = 1440 * MINUTE;

const matches = ({ minute, hour, weekday }: CronFields, shown: number): boolean => {
  const date = new Date(shown);
  return minute.has(date.getUTCMinutes()) && hour.has(date.getUTCHours()) && weekday.has(date.getUTCDay());
};

/** The due times after one, until another. */
function duesOf(fields: CronFields, { zone, from, until }: { zone: string; from: number; until: number }) {
  const timing = { kind: "cron", cron: cronText(fields), time_zone: zone } as const;
  const found = new Set<number>();
  for (let at = nextDue({ timing, offsetMs: 0, endsAt: null }, from); at !== null && at <= until;) {
    found.add(at);
    at = nextDue({ timing, offsetMs: 0, endsAt: null }, at);
  }
  return found;
}

property(
  "around clock changes, a schedule runs at each minute whose clock its fields name, and at no other",
  [cronFields, zones, instants, fc.nat({ max: MINUTES })],
  (fields, zone, at, before) => {
    const clock = clockOf(zone);
    const from = Math.floor(clock.nextChange(Math.floor(at / DAY) * DAY) / MINUTE - before) * MINUTE;
    const dues = duesOf(fields, { zone, from, until: from + MINUTES * MINUTE });
    const { minute, hour } = fields;
    const isFixed = [minute, hour].every(({ text }) => /^\d+$/.test(text));
    for (let time = from + MINUTE; time <= from + MINUTES * MINUTE; time += MINUTE) {
      const shown = clock.shown(time);
      const wasShown = [30, 60, 120].some((back) => clock.shown(time - back * MINUTE) === shown);
      const skipped = shown - clock.shown(time - MINUTE) - MINUTE;
      // A fixed time that the change leaves out runs at its end; one that it repeats runs the first time.
      const leftOut =
        isFixed && skipped > 0 && some(skipped / MINUTE, (back) => matches(fields, shown - back * MINUTE));
      const expected = (matches(fields, shown) && !(isFixed && wasShown)) || leftOut;
      assert.equal(dues.has(time), expected, `${new Date(time).toISOString()} by ${cronText(fields)} in ${zone}`);
    }
  },
);

/** Whether one of the numbers from 1 on satisfies it. */
const some = (count: number, isIt: (number: number) => boolean): boolean =>
  Array.from({ length: count }, (_, index) => index + 1).some(isIt);
