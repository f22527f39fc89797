import t from "tap";
import { classifyLine } from "../../../src/engine/mcp/classify-line.ts";
import { NotificationFilter } from "../../../src/engine/mcp/notification-filter.ts";

t.test("a glance tells a notification by its first words, and never takes anything else for one", async (t) => {
  const notification = { kind: "notification", method: "notifications/progress" };
  for (const [line, glance] of [
    ["", { kind: "blank" }],
    [" \r", { kind: "blank" }],
    ["Welcome!", { kind: "no_message" }],
    ["[]", { kind: "no_message" }],
    [JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: {} }), notification],
    [' { "method" : "notifications/progress" }', notification],
    [JSON.stringify({ params: {}, method: "notifications/progress" }), { kind: "message" }],
    [JSON.stringify({ id: 1, result: { method: "notifications/progress" } }), { kind: "message" }],
    [JSON.stringify({ result: '"method":"notifications/progress"', id: 1 }), { kind: "message" }],
    [JSON.stringify({ jsonrpc: "2.0", method: "ping", id: 1 }), { kind: "message" }],
    ["{", { kind: "message" }],
  ] as const)
    t.same(classifyLine(Buffer.from(line)), glance, line);
});

t.test("of what is said unasked so much of each kind is heard at a time", async (t) => {
  let now = 1000;
  const unasked = new NotificationFilter(() => now);
  let changes = 0;
  const heard = (method: string) =>
    Array.from({ length: 100 }, () => unasked.hears(method, () => changes++)).filter(Boolean).length;
  t.equal(heard("notifications/progress"), 20);
  t.equal(heard("notifications/cancelled"), 20, "one kind leaves the others their room");
  t.equal(heard("notifications/message"), 0);
  now += 100;
  t.equal(heard("notifications/progress"), 20);
  t.equal(changes, 0);
  t.equal(heard("notifications/tools/list_changed"), 0);
  t.equal(changes, 100, "each is told of; who is told makes one of them");
  t.equal(Array.from({ length: 300 }, () => unasked.hasRoomForRequest()).filter(Boolean).length, 100);
});
