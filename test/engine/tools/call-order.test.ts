import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { claimsOf, mustWaitFor } from "../../../src/engine/tools/call-order.ts";
import { editFile } from "../../../src/engine/tools/edit-file.ts";
import { listFiles } from "../../../src/engine/tools/list-files.ts";
import { readFile } from "../../../src/engine/tools/read-file.ts";
import { searchFiles } from "../../../src/engine/tools/search/search-files.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { fetchUrl } from "../../../src/engine/tools/web/fetch-url.ts";
import { calls, engineParts, says, scriptedProvider, testTool } from "../../helpers/engine-parts.ts";
import { commandHost } from "../../helpers/command-host.ts";

const waits = (later: [Tool, object], earlier: [Tool, object]) =>
  mustWaitFor(claimsOf(later[0], { ...later[1] }), claimsOf(earlier[0], { ...earlier[1] }));

t.test("calls are ordered when one changes what the other uses", async (t) => {
  const path = "notes/a.md";
  const [read, write, edit] = [readFile, writeFile, editFile].map((tool): [Tool, object] => [tool, { path }]);
  const command: [Tool, object] = [runCommand(commandHost()), { command: "ls" }];
  if (read === undefined || write === undefined || edit === undefined) throw new Error("no tools");
  for (const [later, earlier, expected] of [
    [read, write, true],
    [write, read, true],
    [edit, write, true],
    [read, read, false],
    [read, [writeFile, { path: "./notes//b/../a.md" }], true],
    [read, [writeFile, { path: "notes/b.md" }], false],
    [read, [writeFile, { path: "notes/a.md.txt" }], false],
    [[readFile, { path: "/somewhere/workspace/notes/a.md" }], write, true],
    [[listFiles, {}], write, true],
    [[listFiles, { path: "notes/" }], write, true],
    [[listFiles, { path: "other" }], write, false],
    [[searchFiles, { pattern: "x", path: "notes" }], edit, true],
    [[searchFiles, { pattern: "x" }], read, false],
    [command, write, true],
    [read, command, true],
    [command, command, true],
    [[fetchUrl(commandHost().network.rules), { url: "http://a.example" }], command, false],
  ] as const) {
    t.equal(waits([...later], [...earlier]), expected, `${later[0].name} after ${earlier[0].name}`);
  }
});

t.test("a read after a write of its file sees the write, others run at once", async (t) => {
  const log: string[] = [];
  const tool = (name: string, ms: number, more: Partial<Tool>) =>
    testTool(
      name,
      async () => {
        log.push(`begin ${name}`);
        await sleep(ms);
        log.push(`end ${name}`);
      },
      more,
    );
  const tools = [
    tool("write", 60, { readOnly: false, resources: () => ["workspace/a"] }),
    tool("read", 1, { reads: () => ["workspace/a"] }),
    tool("other", 1, { reads: () => ["workspace/b"] }),
    tool("all", 1, { readOnly: false, resources: () => ["workspace"] }),
  ];
  const provider = scriptedProvider(
    calls(["1", "write", {}], ["2", "read", {}], ["3", "other", {}], ["4", "all", {}]),
    says("done"),
  );
  await engineParts(t, { provider, tools }).turn("order");
  t.ok(log.indexOf("begin read") > log.indexOf("end write"));
  t.ok(log.indexOf("end other") < log.indexOf("end write"));
  t.ok(log.indexOf("begin all") > Math.max(log.indexOf("end read"), log.indexOf("end other")));
});
