import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { MCP_ERAS, type McpEra, connectMcp } from "../../helpers/mcp-client.ts";
import { agentFile, skillFile } from "../catalog/catalog-bench.ts";

const dataDir = freshFolder(t, "engine");
for (const [path, text] of [
  ["agents/scout.md", `${agentFile("scout")}\nSECRET of the agent`],
  ["skills/weekly-report/SKILL.md", `${skillFile("weekly-report")}\nSECRET of the skill`],
] as const) {
  mkdirSync(join(dataDir, "catalog", path, ".."), { recursive: true });
  writeFileSync(join(dataDir, "catalog", path), text);
}
const engine = await startEngine(t, { dataDir });
const connect = (t: Test, era: McpEra) =>
  connectMcp(t, `${engine.url}/mcp`, { era, headers: { authorization: `Bearer ${engine.key}` } });
const put = async (path: string, bytes: string | Uint8Array) => {
  const response = await fetch(`${engine.url}/files/content?path=${encodeURIComponent(path)}`, {
    method: "PUT",
    headers: { "x-engine-key": engine.key, connection: "close" },
    body: Buffer.from(bytes),
  });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`${path} was answered ${response.status}`);
};
const ODD = "notes/a b%#?ä/né.txt";
const BINARY = Buffer.from([0, 1, 2, 255]);
await put(ODD, "odd");
await put("tool.py", "print('hi')");
await put("picture.png", BINARY);
await put("large.bin", Buffer.alloc(4 * 1024 * 1024 + 1));
await put("empty.txt", "");
for (let n = 0; n < 120; n++) await put(`many/${n}.md`, `# ${n}`);
await engine.turn("publishing", '/tool publish_file {"path":"tool.py","title":"The tool"}');
const { items } = (await engine.call("/tasks/publishing/artifacts")).body;
const artifactId: string = items[0].artifact_id;

for (const era of MCP_ERAS) {
  t.test(`${era}: the files of the workspace are resources, page by page`, async (t) => {
    const client = await connect(t, era);
    const all = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await client.listResources(cursor === undefined ? undefined : { cursor }, { cacheMode: "refresh" });
      all.push(...page.resources);
      cursor = page.nextCursor;
    }
    const listed = new Map(all.map((one) => [one.name, one]));
    t.equal(listed.size, 125);
    t.notOk([...listed.keys()].some((name) => name.startsWith(".orch")));
    t.match(listed.get("tool.py"), { uri: "workspace:///tool.py", size: 11 });
    const { uri = "", mimeType } = listed.get(ODD) ?? {};
    t.match(mimeType, /^text\/plain/);
    t.match((await client.readResource({ uri })).contents, [{ uri, text: "odd" }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    t.strictSame(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ["workspace:///{+path}", "artifact:///{artifact_id}"],
    );
  });

  t.test(`${era}: text is read as text, bytes as base64, and a published version by its id`, async (t) => {
    const client = await connect(t, era);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    t.match(await read("workspace:///tool.py"), { mimeType: "text/plain", text: "print('hi')" });
    t.match(await read("workspace:///picture.png"), { mimeType: "image/png", blob: BINARY.toString("base64") });
    t.match(await read("workspace:///empty.txt"), { text: "" });
    t.match(await read(`artifact:///${artifactId}`), { text: "print('hi')" });
  });

  t.test(`${era}: an address of anything else is refused, and so is a file that is too large`, async (t) => {
    const client = await connect(t, era);
    for (const uri of [
      "workspace:///none.txt",
      "artifact:///none",
      "file:///etc/passwd",
      "workspace:///%E0%A4%A",
      "https://example.com/",
    ])
      await t.rejects(client.readResource({ uri }), { message: /not found/i }, uri);
    for (const uri of [
      "workspace:///../../etc/passwd",
      "workspace:////etc/passwd",
      "workspace:///many",
      "workspace:///",
    ])
      await t.rejects(client.readResource({ uri }), { message: /INVALID_REQUEST|not found/i }, uri);
    await t.rejects(client.readResource({ uri: "workspace:///large.bin" }), { message: /PAYLOAD_TOO_LARGE/ });
    await t.rejects(client.listResources({ cursor: "-1" }), { message: /INVALID_REQUEST: cursor/ });
  });

  t.test(`${era}: agents and skills of the catalog are prompts, which do not show their own texts`, async (t) => {
    const client = await connect(t, era);
    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }) => name);
    for (const name of ["agent-default", "agent-scout", "skill-weekly-report"]) t.ok(names.includes(name), name);
    t.match(
      prompts.find(({ name }) => name === "skill-weekly-report"),
      { description: "For weekly-report.", arguments: [{ name: "request", required: true }] },
    );
    const asked = { request: "the sales of June" };
    const got = await client.getPrompt({ name: "skill-weekly-report", arguments: asked });
    t.match(got.messages, [
      { role: "user", content: { text: /tool ask .*Use your skill weekly-report.*the sales of June/s } },
    ]);
    t.match((await client.getPrompt({ name: "agent-scout", arguments: asked })).messages, [
      { content: { text: /agent "scout".*the sales of June/s } },
    ]);
    t.notMatch(JSON.stringify([prompts, got]), /SECRET/);
    await t.rejects(client.getPrompt({ name: "agent-nobody", arguments: asked }), {
      message: /there is no prompt agent-nobody/,
    });
    await t.rejects(client.getPrompt({ name: "agent-scout" }), { message: /arguments\.request: expected/ });
    await t.rejects(client.getPrompt({ name: "toString", arguments: asked }), { message: /there is no prompt/ });
  });
}
