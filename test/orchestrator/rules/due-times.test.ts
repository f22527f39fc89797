import t from "tap";
import type { ScheduleTiming } from "../../../src/contract/orchestrator/schedule.ts";
import { cronProblem } from "../../../src/orchestrator/rules/cron-times.ts";
import { duesUntil, nextDue, nextDues, timingProblem } from "../../../src/orchestrator/rules/due-times.ts";

const at = (text: string) => Date.parse(text);
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16));
const plain = (timing: ScheduleTiming) => ({ timing, offsetMs: 0, endsAt: null });
const cron = (text: string, zone = "Europe/Berlin") => plain({ kind: "cron", cron: text, time_zone: zone });

t.test("a time in the hour that spring leaves out is due at its end, on that day too", async (t) => {
  const found = nextDues(cron("30 2 * * *"), { after: at("2026-03-28T00:00:00Z"), count: 3 });
  t.same(iso(found), ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]);
  t.same(iso(nextDues(cron("*/30 * * * *"), { after: at("2026-03-29T00:01:00Z"), count: 3 })), [
    "2026-03-29T00:30",
    "2026-03-29T01:00",
    "2026-03-29T01:30",
  ]);
});

t.test("a fixed time in the hour that autumn repeats is due once, a repeated one by the clock's hours", async (t) => {
  const found = nextDues(cron("30 2 * * *"), { after: at("2026-10-24T12:00:00Z"), count: 2 });
  t.same(iso(found), ["2026-10-25T00:30", "2026-10-26T01:30"]);
  t.same(iso(nextDues(cron("0 * * * *"), { after: at("2026-10-24T23:01:00Z"), count: 3 })), [
    "2026-10-25T00:00",
    "2026-10-25T01:00",
    "2026-10-25T02:00",
  ]);
  const half = nextDues(cron("45 1 * * *", "Australia/Lord_Howe"), { after: at("2026-04-04T00:00:00Z"), count: 2 });
  t.same(iso(half), ["2026-04-04T14:45", "2026-04-05T15:15"], "a clock change of half an hour is handled");
});

t.test("past due times are found from the newest backwards, over any span", async (t) => {
  const window = { from: at("2020-01-01T00:00:00Z"), until: at("2026-03-30T00:00:00Z"), count: 3 };
  t.same(iso(duesUntil(cron("30 2 * * *"), window)), ["2026-03-27T01:30", "2026-03-28T01:30", "2026-03-29T01:00"]);
  const every = plain({ kind: "every", every_s: 60, anchor_at: "2020-01-01T00:00:30.000Z" });
  t.same(iso(duesUntil(every, window)), ["2026-03-29T23:57", "2026-03-29T23:58", "2026-03-29T23:59"]);
  t.same(iso(duesUntil(every, { ...window, from: window.until - 90_000 })), ["2026-03-29T23:58", "2026-03-29T23:59"]);
  t.same(duesUntil(cron("0 0 1 1 *"), { ...window, from: at("2026-02-01T00:00:00Z") }), []);
});

t.test("an interval counts from its anchor, past or future", async (t) => {
  const every = (anchor_at: string) => plain({ kind: "every", every_s: 900, anchor_at });
  const after = at("2026-05-01T10:07:00Z");
  t.same(iso(nextDues(every("2026-05-01T00:05:00.000Z"), { after, count: 2 })), [
    "2026-05-01T10:20",
    "2026-05-01T10:35",
  ]);
  t.same(iso(nextDues(every("2026-06-01T00:00:00.000Z"), { after, count: 1 })), ["2026-06-01T00:00"]);
  t.equal(nextDue(every("2026-05-01T10:07:00.000Z"), after), after + 900_000, "strictly later");
});

t.test("the end and the spread of a schedule apply to each of its times", async (t) => {
  const timing: ScheduleTiming = { kind: "cron", cron: "0 * * * *", time_zone: "UTC" };
  const times = { timing, offsetMs: 600_000, endsAt: at("2026-05-01T12:00:00Z") };
  const after = at("2026-05-01T09:30:00Z");
  t.same(iso(nextDues(times, { after, count: 9 })), ["2026-05-01T10:10", "2026-05-01T11:10"]);
  t.equal(nextDue(times, at("2026-05-01T11:10:00Z")), null);
  t.same(iso(duesUntil(times, { from: after, until: at("2026-05-02T00:00:00Z"), count: 50 })), [
    "2026-05-01T10:10",
    "2026-05-01T11:10",
  ]);
  t.same(
    iso(duesUntil(times, { from: after, until: at("2026-05-02T00:00:00Z"), count: 1 })),
    ["2026-05-01T11:10"],
    "times after the end do not take the place of the newest before it",
  );
  const once = { ...times, timing: { kind: "at", at: "2026-05-01T10:00:00.000Z" } as const };
  t.same(iso(nextDues(once, { after, count: 9 })), ["2026-05-01T10:10"]);
});

t.test("a wrong expression is named with the field that is wrong", async (t) => {
  const cases: Readonly<Record<string, string | null>> = {
    "61 * * * *": 'field 1 (minute), "61": the value is out of range',
    "* * * 13 *": 'field 4 (month), "13": the value is out of range',
    "* * * * MON-": 'field 5 (day of week), "MON-"',
    "0 60 * * * *": 'field 2 (minute), "60": the value is out of range',
    "*/0 * * * *": 'field 1 (minute), "*/0": Syntax error, illegal stepping: 0',
    "5-1 * * * *": 'field 1 (minute), "5-1": From value is larger than to value',
    "* * * foo *": 'field 4 (month), "foo": contains illegal characters',
    "": "expected 5 fields",
    "* * * * * * *": "expected 5 fields",
    "0 0 31 4,6 *": "no date matches it",
    "0 0 L * *": null,
    "0 9 * * MON#2": null,
    "@daily": null,
  };
  for (const [text, problem] of Object.entries(cases)) {
    const found = cronProblem(text);
    t.ok(problem === null ? found === null : found?.startsWith(problem), `${text}: ${found}`);
  }
});

t.test("runs closer than the policy allows are refused, also where few are close", async (t) => {
  const now = at("2026-05-01T00:00:00Z");
  const problem = (text: string, minIntervalS: number) =>
    timingProblem({ kind: "cron", cron: text, time_zone: "UTC" }, { now, minIntervalS });
  t.match(problem("0,1 3 * * *", 120), { field: "cron", problem: /at least 120 s .* got 60 s/ });
  t.equal(problem("0,1 3 * * *", 60), null);
  t.match(timingProblem({ kind: "every", every_s: 59, anchor_at: "" }, { now, minIntervalS: 60 }), {
    field: "every_s",
  });
});
