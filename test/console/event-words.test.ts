import type { EventRecord } from "@orchd/client";
import t from "tap";
import { NO_NAMES, eventWords } from "../../console/src/views/events/event-words.ts";

const words = (event: Partial<EventRecord>): string =>
  eventWords({ engine_id: null, reason: "request", data: {}, ...event } as EventRecord, NO_NAMES);

t.test("counts one and several in words", async (t) => {
  const pushed = (files: number) => words({ type: "catalog.pushed", data: { version: 2, files, bytes: 185 } });
  t.equal(pushed(1), "version 2: 1 file, 185 B");
  t.equal(pushed(3), "version 2: 3 files, 185 B");
  const deleted = (engines: number) =>
    words({ type: "product.plan_deleted", data: { plan: "free", replace_by: "pro", engines } });
  t.equal(deleted(1), "plan free; 1 engine moved to pro");
  t.equal(deleted(2), "plan free; 2 engines moved to pro");
});

t.test("leaves out that somebody asked, where there is more to say", async (t) => {
  t.equal(words({ type: "product.registered" }), "request");
  t.equal(words({ type: "engine.plan_changed", data: { from: null, to: "pro" } }), "plan none to pro");
  const other = { type: "engine.plan_changed", reason: "a limit", data: { from: "free", to: "pro" } } as const;
  t.equal(words(other), "a limit; plan free to pro");
});
