import t from "tap";
import type { Request } from "express";
import { OPT_IN_EVENTS } from "../../../src/contract/engine/event-groups.ts";
import { ENGINE_EVENTS } from "../../../src/contract/engine/events.ts";
import { wantedEvents } from "../../../src/engine/http/wanted-events.ts";

const asking = (events?: string, header?: string) =>
  wantedEvents({ query: { events }, get: () => header } as unknown as Request);

t.test("a reader that asks for nothing gets no event on request", async (t) => {
  const types = Object.keys(ENGINE_EVENTS).filter((type) => asking()({ type }));
  t.same(
    types,
    Object.keys(ENGINE_EVENTS).filter((type) => !OPT_IN_EVENTS.has(type)),
  );
});

t.test("a reader gets the groups that its address or its header names", async (t) => {
  for (const [type, group] of OPT_IN_EVENTS) {
    t.ok(asking(group)({ type }));
    t.ok(asking(undefined, ` ${group} `)({ type }));
    t.notOk(asking("")({ type }));
  }
  t.ok(asking("message,model")({ type: "text_delta" }));
});

t.test("an unknown group is refused with its place", async (t) => {
  t.throws(() => asking("messages"), /^events: expected a list/);
  t.throws(() => asking("message", "tools"), /^X-Orchd-Events: expected a list/);
});
