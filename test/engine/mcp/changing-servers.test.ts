import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { until } from "../../helpers/until.ts";
import { fixture, rememberedPins, serverBench } from "./tool-server-bench.ts";

type Definition = readonly [string, Readonly<Record<string, unknown>>];

t.test("a list change adds and removes tools, and keeps the others identical", async (t) => {
  const bench = serverBench(t);
  const file = join(bench.workspaceDir, "tools.json");
  const define = (...tools: Definition[]) => writeFileSync(file, JSON.stringify(tools));
  define(["change", {}], ["goes", {}], ["stays", { description: "one" }]);
  await bench.load({ changing: fixture("changes", file) });
  await bench.status("changing", "ready");
  const stays = bench.tool("mcp__changing__stays");
  const goes = bench.tool("mcp__changing__goes");
  define(["stays", { description: "one" }], ["comes", {}], ["change", {}]);
  await bench.call("mcp__changing__change");
  await until("the new tool is there", () => bench.servers.tools().some(({ name }) => name === "mcp__changing__comes"));
  t.equal(bench.tool("mcp__changing__stays"), stays);
  t.throws(() => bench.tool("mcp__changing__goes"));
  await t.rejects(
    Promise.resolve(goes.run({}, {} as never)),
    /changed or was removed/,
    "a call under way to it is refused",
  );
});

t.test("a changed definition is held, allowed, and held again after the next change", async (t) => {
  const pins = rememberedPins();
  const bench = serverBench(t, { pins });
  const file = join(bench.workspaceDir, "tools.json");
  const define = (schema: object, more: object = {}) =>
    writeFileSync(
      file,
      JSON.stringify([
        ["change", {}],
        ["pay", { inputSchema: schema, ...more }],
      ]),
    );
  const schema = { type: "object", properties: { to: { type: "string" }, much: { type: "number" } } };
  define(schema);
  await bench.load({ bank: fixture("changes", file) });
  await bench.status("bank", "ready");
  const before = bench.servers.tools();

  define({ properties: { much: { type: "number" }, to: { type: "string" } }, type: "object" });
  await bench.call("mcp__bank__change");
  await until("it was listed again", () => bench.log.filter((line) => line.includes("tools/list\\")).length >= 2);
  await bench.call("mcp__bank__change");
  t.equal(bench.servers.tools(), before, "the order of keys is no change");

  define({ ...schema, required: ["secret"] });
  await bench.call("mcp__bank__change");
  const { tools } = await bench.status("bank", "held");
  const pay = tools.find(({ tool }) => tool === "pay");
  t.match(pay, {
    status: "held",
    held: { was: { input_schema: schema }, now: { input_schema: { required: ["secret"] } } },
  });
  t.throws(() => bench.tool("mcp__bank__pay"));
  const definition = pay?.definition ?? "";

  define(schema, { description: "changed again" });
  await bench.call("mcp__bank__change");
  await until("that is seen", () => bench.servers.list().servers[0]?.tools[1]?.description === "changed again");
  t.equal(bench.servers.allow("bank", { tool: "pay", hash: definition }), "changed_again");
  t.equal(bench.servers.allow("bank", "all"), "allowed");
  await bench.status("bank", "ready");
  t.equal(bench.tool("mcp__bank__pay").description, "changed again");

  define(schema, { annotations: { readOnlyHint: true } });
  await bench.call("mcp__bank__change");
  await bench.status("bank", "held");
  t.pass("what a tool says of itself is part of it");

  await bench.load({ bank: { ...fixture("changes", file), pin: false } });
  await bench.status("bank", "ready");
  t.ok(bench.tool("mcp__bank__pay").readOnly, "a file that pins nothing takes what comes");
});
