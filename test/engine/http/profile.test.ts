import t, { type Test } from "tap";
import { createEngineClient } from "../../../src/client/engine-client.ts";
import { type TestEngine, startEngine } from "../../helpers/engine.ts";

async function opened(t: Test, options: Parameters<typeof startEngine>[1] = {}) {
  const engine = await startEngine(t, options);
  return { engine, client: createEngineClient({ url: engine.url, key: engine.key }) };
}

type Client = Awaited<ReturnType<typeof opened>>["client"];
const texts = async (client: Client) => (await client.profile()).lines.map(({ text }) => text);

/** The recalled block of the last message that the model was sent. */
async function shownProfile(engine: TestEngine, client: Client, taskId: string, message: string): Promise<string> {
  const events = await engine.turn(taskId, message);
  const turnId = String(events[0]?.data["turn_id"]);
  const { requests } = await client.modelRequests(turnId);
  const request = await client.modelRequest(turnId, requests[0]?.number ?? 1);
  const blocks = JSON.stringify(request).match(/<user_profile>.*?<\/user_profile>/g) ?? [];
  return blocks.at(-1) ?? "";
}

t.test("the agent reads the page once in a conversation, and again after it has changed", async (t) => {
  const { engine, client } = await opened(t);
  await engine.turn("told", "/say fine\nMy name is Anna. I live in Oslo.");
  t.equal(await shownProfile(engine, client, "before", "/say Hello"), "", "no page before a batch has written it");
  t.match(await client.triggerLearning(), { profile_lines: 2 });
  t.same(await texts(client), ["Name is Anna.", "Lives in Oslo."]);
  const first = await shownProfile(engine, client, "new", "/say Hello");
  t.match(first, /Name is Anna.*Lives in Oslo/);
  const blocksIn = async (message: string) => {
    const events = await engine.turn("new", message);
    const turnId = String(events[0]?.data["turn_id"]);
    const request = await client.modelRequest(turnId, 1);
    return JSON.stringify(request).match(/<user_profile>.*?<\/user_profile>/g) ?? [];
  };
  t.same(await blocksIn("/say And more"), [first], "the conversation has it, byte for byte");
  const { lines } = await client.profile();
  const home = lines.find(({ text }) => text === "Lives in Oslo.");
  const name = lines.find(({ text }) => text === "Name is Anna.");
  await client.correctProfileLine(home?.id ?? "", "Lives in <Bergen>.");
  const [kept, changed = "", ...more] = await blocksIn("/say And after the correction");
  t.same([kept, more], [first, []], "earlier messages do not change");
  t.match(changed, /Lives in \\+u003cBergen\\+u003e.*by\\+":\\+"user/);
  await client.deleteProfileLine(home?.id ?? "");
  await client.deleteProfileLine(name?.id ?? "");
  t.match((await blocksIn("/say And without a line")).at(-1), /empty now/);
  t.equal((await blocksIn("/say Still empty")).length, 3, "which is said once");
  t.equal(await shownProfile(engine, client, "later", "/say Hi"), "");
});

t.test("lines go with the conversations behind them, a corrected one with the last of them", async (t) => {
  const { engine, client } = await opened(t);
  await engine.turn("a", "/say fine\nMy name is Anna. I live in Oslo. I work at Acme.");
  await engine.turn("b", "/say fine\nMy name is Anna.");
  await client.triggerLearning();
  const { lines } = await client.profile();
  const line = (text: string) => lines.find((one) => one.text === text);
  t.equal(line("Name is Anna.")?.sources.length, 2);
  await client.correctProfileLine(line("Works at Acme.")?.id ?? "", "Works at Globex.");
  t.match((await client.deleteTask("a", { forget: true })).forgotten, { profile_lines: 2 });
  t.same(await texts(client), ["Name is Anna."]);
  t.match((await client.deleteTask("b", { forget: true })).forgotten, { profile_lines: 1 });
  t.same(await texts(client), []);
});

t.test("an export takes the profile along: what was corrected, and what was deleted", async (t) => {
  const first = await opened(t);
  await first.engine.turn("a", "/say fine\nMy name is Anna. I live in Oslo. I work at Acme.");
  await first.client.triggerLearning();
  const { lines } = await first.client.profile();
  const idOf = (text: string) => lines.find((one) => one.text === text)?.id ?? "";
  await first.client.correctProfileLine(idOf("Lives in Oslo."), "Lives in Bergen.");
  await first.client.deleteProfileLine(idOf("Works at Acme."));
  const exported = await Array.fromAsync(first.client.exportMemory());
  t.equal(exported.filter(({ type }) => type === "profile_line").length, 3);
  const second = await opened(t);
  const file = exported.map((line) => `${JSON.stringify(line)}\n`).join("");
  t.match(await second.client.importMemory(file), { imported: { profile_line: 3 } });
  t.same(await second.client.profile(), await first.client.profile());
  await second.client.triggerLearning();
  t.same((await texts(second.client)).toSorted(), ["Lives in Bergen.", "Name is Anna."]);
  t.match(await second.client.importMemory(file), { skipped: { profile_line: 3 } });
  t.match(await second.client.eraseMemory(), { erased: { profile_lines: 3 } });
  t.same(await texts(second.client), []);
  await second.engine.turn("b", "/say fine\nI live in Oslo.");
  await second.client.triggerLearning();
  t.same(await texts(second.client), ["Lives in Oslo."], "nothing is remembered of what was erased");
});
