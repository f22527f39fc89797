import t from "tap";
import * as z from "zod/mini";
import { offeredTools } from "../../../src/engine/agent/offered-tools.ts";
import { splitTools } from "../../../src/engine/agent/split-tools.ts";
import { rankByWords } from "../../../src/engine/store/word-index.ts";
import { toolInput } from "../../../src/engine/tools/tool-input.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";

const FEW = { maxTools: 128, maxTokens: 100_000, shownTokens: 1 };
const tool = (name: string, description: string, more: Partial<Tool> = {}): Tool =>
  testTool(name, async () => `${name} ran`, { description, source: "server:desk", ...more });
/** Some 100 tokens each, so that none has room beside another. */
const filler = (count: number) =>
  Array.from({ length: count }, (_, at) => tool(`mcp__desk__filler_${at}`, `Number ${at}. ${"nothing ".repeat(50)}`));
const ticket = tool("mcp__desk__createTicket", "Opens a request at the help desk");
const invoice = tool("mcp__desk__pay_bill", "Settles an invoice of a supplier", {
  input: toolInput(z.object({ iban: z.string() })),
});
const TOOLS = [...filler(20), ticket, invoice, testTool("built_in", async () => "own")];
const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

async function search(query: string, tools: readonly Tool[] = TOOLS): Promise<readonly string[]> {
  const found = offeredTools(tools, FEW, rankByWords).registry.get("tool_search");
  const loaded: string[] = [];
  await found?.run({ query }, { loadTools: (names: readonly string[]) => void loaded.push(...names) } as never);
  return loaded;
}

t.test("tools within the share are all in the request, without a search", async (t) => {
  const offered = offeredTools(TOOLS, { ...FEW, shownTokens: 50_000 }, rankByWords);
  t.same(names(offered.offer([])), names(TOOLS).toSorted());
  t.equal(offered.registry.get("tool_search"), undefined);
});

t.test("beyond the share, built-in tools stay, then marked ones, then the smallest sources", async (t) => {
  const marked = tool("mcp__desk__marked", `Always. ${"word ".repeat(100)}`, { alwaysLoad: true });
  const small = tool("note", "Small", { source: "server:small" });
  const { shown, deferred, leftOut } = splitTools([...TOOLS, marked, small], { ...FEW, shownTokens: 250 });
  for (const name of ["built_in", "mcp__desk__marked", "note"]) t.ok(names(shown).includes(name), name);
  t.ok(names(deferred).includes("mcp__desk__filler_19"));
  t.equal(shown.length + deferred.length, TOOLS.length + 2, "nothing is dropped");
  t.equal(leftOut.size, 0);
  const huge = tool("huge", "word ".repeat(1000));
  t.match(splitTools([huge], { ...FEW, maxTokens: 1000 }).leftOut.get("huge"), /half of the context window/);
});

t.test("a search finds tools by name, description and arguments, also by parts and other forms of words", async (t) => {
  t.equal((await search("opening requests"))[0], "mcp__desk__createTicket");
  t.equal((await search("ticket"))[0], "mcp__desk__createTicket");
  t.equal((await search("invoices"))[0], "mcp__desk__pay_bill");
  t.equal((await search("IBAN"))[0], "mcp__desk__pay_bill");
  t.same((await search("mcp__desk__filler_7, mcp__desk__pay_bill")).slice(0, 2).toSorted(), [
    "mcp__desk__filler_7",
    "mcp__desk__pay_bill",
  ]);
  t.equal((await search("nothing")).length, 5, "the best five");
  t.same(await search("astronomy"), []);
  t.same(await search('" OR * ) NEAR('), [], "no character is syntax");
});

t.test("loaded tools come after the others, in the order in which they were loaded", async (t) => {
  const tools = offeredTools(TOOLS, FEW, rankByWords);
  const offer = (loaded: readonly string[]) => tools.offer(loaded);
  const before = offer([]);
  t.same(names(before), ["built_in", "tool_search"]);
  const one = offer(["mcp__desk__pay_bill"]);
  const two = offer(["mcp__desk__pay_bill", "mcp__desk__createTicket", "mcp__gone"]);
  t.same(two.slice(0, 3), one, "what was there stays as it is");
  t.same(one.slice(0, 2), before);
  t.equal(two.length, 4);
  t.equal(offer(["mcp__desk__pay_bill"]), one, "the same array for the same tools");
});

t.test("of more tools than a request can have, those that were loaded last are in it", async (t) => {
  const tools = offeredTools(TOOLS, { ...FEW, maxTools: 4 }, rankByWords);
  const offer = (loaded: readonly string[]) => tools.offer(loaded);
  const loaded = [0, 1, 2, 3].map((at) => `mcp__desk__filler_${at}`);
  t.same(names(offer(loaded)).slice(2), loaded.slice(2));
});

t.test("a loaded tool is in the task's later requests, after a restart too, and in no other task's", async (t) => {
  const dataDir = freshFolder(t);
  const provider = scriptedProvider(
    calls(["a", "tool_search", { query: "invoice" }]),
    calls(["b", "mcp__desk__pay_bill", { iban: "x" }]),
    says("paid"),
    says("again"),
    says("other"),
  );
  const options = { provider, tools: TOOLS, toolLimits: FEW };
  const parts = engineParts(t, { ...options, dataDir });
  const events = await parts.turn("bills");
  const results = events.filter(({ event }) => event === "tool_result").map(({ data }) => data);
  t.match(results, [
    { tool: "tool_search", output: { loaded: [{ name: "mcp__desk__pay_bill", description: /Settles/ }] } },
    { tool: "mcp__desk__pay_bill", output: "mcp__desk__pay_bill ran", error: null },
  ]);
  t.match(provider.requests[0]?.tools.at(-1), { name: "tool_search", description: /server:desk \(22\): mcp__desk__/ });
  t.match(provider.requests[1]?.tools.at(-1), { name: "mcp__desk__pay_bill" });
  await parts.turn("bills");
  await parts.turn("talk");
  t.same(
    provider.requests.slice(3).map(({ tools }) => tools.at(-1)?.name),
    ["mcp__desk__pay_bill", "tool_search"],
  );
  const later = scriptedProvider(says("after the restart"));
  const folder = freshFolder(t);
  parts.store.db.exec(`vacuum into '${folder}/engine.db'`);
  await engineParts(t, { ...options, provider: later, dataDir: folder }).turn("bills");
  t.match(later.requests[0]?.tools.at(-1), { name: "mcp__desk__pay_bill" });
});

t.test("a tool that the model names without a search runs too", async (t) => {
  const provider = scriptedProvider(calls(["a", "mcp__desk__createTicket", {}]), says("done"));
  const events = await engineParts(t, { provider, tools: TOOLS, toolLimits: FEW }).turn("direct");
  t.match(
    events.filter(({ event }) => event === "tool_result").map(({ data }) => data),
    [{ output: "mcp__desk__createTicket ran", error: null }],
  );
});

t.test("five hundred tools are searched in less than 200 ms of CPU time", async (t) => {
  const many = filler(500);
  await search("number 432", many);
  const before = process.threadCpuUsage();
  t.same((await search("number 432", many))[0], "mcp__desk__filler_432");
  const { user, system } = process.threadCpuUsage(before);
  t.ok(user + system < 200_000, `${(user + system) / 1000} ms`);
  t.comment(`${(user + system) / 1000} ms`);
});
