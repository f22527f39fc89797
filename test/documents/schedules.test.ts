import t from "tap";
import { RUN_STATES } from "../../src/contract/orchestrator/schedule-runs.ts";
import { WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_S } from "../../src/contract/orchestrator/webhook-signature.ts";
import { templateProblem } from "../../src/contract/orchestrator/webhook-template.ts";
import { timingProblem } from "../../src/orchestrator/rules/due-times.ts";
import type { ScheduleTiming } from "../../src/contract/orchestrator/schedule.ts";
import { documentText, namesIn, tableIs, tableRows } from "./documents.ts";

const FILE = "docs/schedules.md";

t.test("the states, headers and placeholders are those of the code, both ways", async (t) => {
  t.same(
    namesIn(FILE, "run states"),
    RUN_STATES,
    tableIs(FILE, "run states", "src/contract/orchestrator/schedule-runs.ts"),
  );
  t.same(
    namesIn(FILE, "webhook headers"),
    Object.values(WEBHOOK_HEADERS),
    tableIs(FILE, "webhook headers", "src/contract/orchestrator/webhook-signature.ts"),
  );
  const placeholders = namesIn(FILE, "template placeholders").join(" ");
  t.equal(templateProblem(placeholders), null);
  const known = templateProblem("{{x}}")?.match(/\{\{[a-z.]+\}\}/g) ?? [];
  t.same(placeholders.split(" "), known.slice(1));
});

t.test("the tolerance of timestamps is that of the code", async (t) => {
  t.ok(documentText(FILE).includes(`at most ${WEBHOOK_TOLERANCE_S} s`));
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
