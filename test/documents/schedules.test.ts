import t from "tap";
import { RUN_STATES } from "../../src/contract/schedule-records.ts";
import { SCHEDULE_LIMITS, scheduleRequest, webhookRequest } from "../../src/contract/schedule-requests.ts";
import { WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_S } from "../../src/contract/webhook-signature.ts";
import { templateProblem } from "../../src/contract/webhook-template.ts";
import { timingProblem } from "../../src/orchestrator/rules/due-times.ts";
import type { ScheduleTiming } from "../../src/contract/schedule-records.ts";
import { documentText, namesIn, tableIs, tableRows } from "./documents.ts";

const FILE = "docs/schedules.md";
const REQUESTS = "src/contract/schedule-requests.ts";

t.test("the fields, states, headers and placeholders are those of the code, both ways", async (t) => {
  t.same(
    namesIn(FILE, "schedule fields"),
    Object.keys(scheduleRequest.shape),
    tableIs(FILE, "schedule fields", REQUESTS),
  );
  t.same(
    [...namesIn(FILE, "webhook fields")].sort(),
    Object.keys(webhookRequest.shape).sort(),
    tableIs(FILE, "webhook fields", REQUESTS),
  );
  t.same(namesIn(FILE, "run states"), RUN_STATES, tableIs(FILE, "run states", "src/contract/schedule-records.ts"));
  t.same(
    namesIn(FILE, "webhook headers"),
    Object.values(WEBHOOK_HEADERS),
    tableIs(FILE, "webhook headers", "src/contract/webhook-signature.ts"),
  );
  const placeholders = namesIn(FILE, "template placeholders").join(" ");
  t.equal(templateProblem(placeholders), null);
  const known = templateProblem("{{x}}")?.match(/\{\{[a-z.]+\}\}/g) ?? [];
  t.same(placeholders.split(" "), known.slice(1));
});

t.test("the limits that it names are those of the code", async (t) => {
  const text = documentText(FILE);
  const { messageBytes, templateBytes, missedLimit, spreadS, requestsPerMinute } = SCHEDULE_LIMITS;
  const named = [`to ${messageBytes / 1024} KiB`, `at most ${templateBytes / 1024} KiB`, `1 to ${missedLimit}:`];
  for (const words of [...named, `0 to ${spreadS}:`, `1 to ${requestsPerMinute}:`, `at most ${WEBHOOK_TOLERANCE_S} s`])
    t.ok(text.includes(words), words);
});

t.test("the examples of times are valid", async (t) => {
  const table = documentText(FILE).split("| `timing` | meaning |")[1] ?? "";
  const timings = [...table.matchAll(/`(\{"kind".*?\})`/g)].map(([, json = ""]) => JSON.parse(json) as ScheduleTiming);
  t.same(
    timings.map(({ kind }) => kind),
    ["at", "cron", "every"],
  );
  for (const timing of timings)
    t.equal(timingProblem(timing, { now: Date.parse("2026-11-01T00:00:00Z"), minIntervalS: 60 }), null, timing.kind);
  t.equal(tableRows(FILE, "run states").length, RUN_STATES.length);
});
