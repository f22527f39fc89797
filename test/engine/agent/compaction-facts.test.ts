import t from "tap";
import { readCallsDone } from "../../../src/engine/model/summary-message.ts";
import * as z from "zod/mini";
import { toolInput } from "../../../src/engine/tools/tool-input.ts";
import { testTool } from "../../helpers/engine-parts.ts";
import { compactingParts, countingProvider, filler, text, toolCall } from "./compacting.ts";

/** Where each of twenty facts is said, and the value by which it is known again. */
const BY_USER: readonly (readonly [string, string])[] = [
  ["My server's address is 10.20.30.40.", "10.20.30.40"],
  ["Never write to the folder /srv/archive.", "/srv/archive"],
  ["Call me Marguerite from now on.", "Marguerite"],
  ["The invoice is INV-2024-0093.", "INV-2024-0093"],
  ["Please always answer in metric units.", "metric units"],
  ["Our budget is 12,750 EUR and not a cent more.", "12,750 EUR"],
  ["Meine Tochter heißt Annegret und mag Pferde.", "Annegret"],
  ["我们的会议在三月十四日。", "三月十四日"],
  [`${filler(120)}. My flight leaves at 17:45 from gate B22. ${filler(120)}.`, "17:45"],
  [`${filler(150)}.\nDeploy only on Tuesdays.\n${filler(150)}.`, "only on Tuesdays"],
];
const lines = <T>(count: number, line: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => line(index));
const IN_RESULTS: readonly (readonly [unknown, string])[] = [
  [`${filler(400)}.\nThe build number is 8841-rc2.\n${filler(400)}.`, "8841-rc2"],
  [
    [...lines(90, (index) => `10:00:${index} GET /item/${index} 200`), "fatal: exit code 137 in worker-seven"].join(
      "\n",
    ),
    "137",
  ],
  [
    { rows: lines(60, (index) => ({ id: index, state: "ok" })), owner: { email: "ines@example.org" } },
    "ines@example.org",
  ],
  [{ files: lines(80, (index) => `page-${index}.html`), config: "/etc/app/settings-prod.yaml" }, "settings-prod.yaml"],
  [`${filler(500)} checksum 9f86d081884c7d65 ${filler(300)}`, "9f86d081884c7d65"],
  [{ text: filler(600), version: "v4.11.2" }, "v4.11.2"],
  [{ report: `${filler(300)}. Revenue was $4.2M in the third quarter. ${filler(300)}.` }, "$4.2M"],
  [`${filler(500)}\nSee https://docs.example.org/limits#burst for the limits.\n${filler(200)}`, "limits#burst"],
];
const BY_AGENT: readonly (readonly [string, string])[] = [
  ["I wrote the report to reports/q3-final.md as you asked.", "reports/q3-final.md"],
  ["The ticket I opened is OPS-5521.", "OPS-5521"],
];
const VALUES = [...BY_USER, ...IN_RESULTS, ...BY_AGENT].map(([, value]) => value);

t.test("twenty facts survive many compactions with empty summaries", async (t) => {
  t.equal(VALUES.length, 20);
  let result = 0;
  let turn = 0;
  const provider = countingProvider({
    answer: (request, nth) => {
      const last = request.messages.at(-1);
      if (last?.role === "user" && last.text.startsWith("look ")) return toolCall(`call_${nth}`, "look");
      if (last?.role === "user" && last.text.startsWith("report ")) return text(BY_AGENT[turn % 2]?.[0] ?? "");
      return text(filler(80));
    },
  });
  const look = testTool("look", async () => IN_RESULTS[result++]?.[0] ?? filler(400));
  const parts = compactingParts(t, { provider, tools: [look] });
  const events: { event: string; data: Record<string, unknown> }[] = [];
  const say = async (message: string) => events.push(...(await parts.turn("task", message)));
  for (const [message] of BY_USER) await say(message);
  for (const [index] of IN_RESULTS.entries()) await say(`look at thing ${index}`);
  for (turn = 0; turn < 2; turn++) await say(`report number ${turn}`);
  for (let index = 0; index < 40; index++) await say(index % 5 === 0 ? "look around" : `${filler(180)}, and so on`);
  const told = events.filter(({ event }) => event === "compaction_event").map(({ data }) => data);
  const summaries = told.filter(({ strategy }) => strategy === "summary");
  t.ok(summaries.length >= 3, `${summaries.length} summaries of ${told.length} compactions`);
  for (const { before_tokens: before, after_tokens: after } of told)
    t.ok(Number(after) < Number(before), JSON.stringify([before, after]));
  t.notOk(events.some(({ event }) => event === "error"));
  const context = JSON.stringify(provider.requests.at(-1)?.messages);
  const lost = VALUES.filter((value) => !context.includes(value));
  t.strictSame(lost, [], `${20 - lost.length} of 20`);
  t.ok(parts.messages.ofTask("task").length > 120, "the originals are in the store");
});

t.test("a compacted turn still shows its user message and its number of calls", async (t) => {
  const steps = 40;
  const provider = countingProvider({
    answer: (_request, nth) =>
      nth <= steps ? toolCall(`call_${nth}`, "look", { n: nth, why: filler(100) }) : text("done"),
  });
  const input = toolInput(z.object({ n: z.number(), why: z.string() }));
  const look = testTool("look", async () => filler(500), { input });
  const parts = compactingParts(t, { provider, tools: [look] });
  const events = await parts.turn("task", "Count the stars, and never stop before 40.");
  t.match(events.at(-1)?.data, { phase: "completed" });
  const summaries = events.filter(({ event, data }) => event === "compaction_event" && data["strategy"] === "summary");
  t.ok(summaries.length >= 1, String(summaries.length));
  for (const request of provider.requests) {
    const users = request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
    t.equal(users.at(-1), "Count the stars, and never stop before 40.");
    const shown = request.messages.filter(({ role }) => role === "tool").length;
    if (users.length === 2) t.equal(readCallsDone(users[0] ?? "") + shown, provider.requests.indexOf(request));
  }
});
