import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PendingRequest } from "../../../src/contract/engine/human-request.ts";
import { runCommand } from "../../../src/engine/tools/command/run-command.ts";
import { editFile } from "../../../src/engine/tools/edit-file.ts";
import { readFile } from "../../../src/engine/tools/read-file.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { writeFile } from "../../../src/engine/tools/write-file.ts";
import { type Parts, calls, engineParts, says, scriptedProvider } from "../../helpers/engine-parts.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { commandHost } from "../../helpers/command-host.ts";

type Input = Readonly<Record<string, unknown>>;
const FOUR = ["allow_once", "allow_task", "allow_always", "deny"];
const ONCE = ["allow_once", "deny"];

/** An agent that calls one tool a turn, with the next of the inputs. */
function agentThatCalls(t: Test, tool: Tool, inputs: readonly Input[]): Parts & { readonly workspace: string } {
  const dataDir = freshFolder(t);
  const answers = inputs.flatMap((input, n) => [calls([`c${n}`, tool.name, input]), says("done")]);
  const parts = engineParts(t, { provider: scriptedProvider(...answers), tools: [tool], dataDir });
  return { ...parts, workspace: join(dataDir, "workspace") };
}

const asked = (parts: Parts): Promise<PendingRequest> =>
  until("a person is asked", () => parts.humanRequests.pending()[0] ?? null);

const resultOf = (events: Awaited<ReturnType<Parts["turn"]>>) =>
  events.find(({ event }) => event === "tool_result")?.data;

t.test("a permission request shows everything a grant would cover, or offers none", async (t) => {
  const fillers = [
    "\u200b",
    "\t",
    "\n",
    "\r",
    "\u202e",
    "\u001b[8m",
    "\u0301",
    " ",
    "x",
    "\u200b\u200c",
    "a\n",
    "\u2063\t",
  ];
  for (const filler of fillers) {
    const command = `ls ${filler.repeat(600)};evil;${filler.repeat(600)}`;
    const parts = agentThatCalls(t, runCommand(commandHost()), [{ command }]);
    const turn = parts.turn("task");
    const { request_id: id, question, options, context } = await asked(parts);
    parts.humanRequests.answer(id, "deny");
    await turn;
    const name = JSON.stringify(filler);
    if (question.includes(";evil;")) t.same(options, FOUR, name);
    else {
      t.same(options, ONCE, name);
      t.match(question, /more characters; SHA-256 of all: [0-9a-f]{64}/, name);
      t.match(context, { input_sha256: /^[0-9a-f]{64}$/ }, name);
    }
    for (const hidden of ["\u200b", "\u202e", "\u001b", "\n", "\t"]) t.notOk(question.includes(hidden), name);
  }
});

t.test("a grant for a file does not apply after its folder became a link", async (t) => {
  const input = { path: "l/a.txt", content: "x" };
  const parts = agentThatCalls(t, writeFile, [input, input, input]);
  mkdirSync(join(parts.workspace, "l"));
  mkdirSync(join(parts.workspace, "elsewhere"));
  const first = parts.turn("task");
  parts.humanRequests.answer((await asked(parts)).request_id, "allow_always");
  await first;
  t.match(resultOf(await parts.turn("task")), { error: null }, "it holds as long as the file is the same");
  renameSync(join(parts.workspace, "l"), join(parts.workspace, "old"));
  symlinkSync("elsewhere", join(parts.workspace, "l"));
  const third = parts.turn("task");
  const { question, request_id: id } = await asked(parts);
  t.match(question, "elsewhere/a.txt", "the real file is named");
  parts.humanRequests.answer(id, "deny");
  await third;
  t.notOk(existsSync(join(parts.workspace, "elsewhere/a.txt")));
});

t.test("a call uses the path it was allowed for, even if the path changes during the permission request", async (t) => {
  const cases: readonly (readonly [string, Tool, Input, (workspace: string) => void])[] = [
    [
      "a parent that comes later",
      writeFile,
      { path: "new/deep/a.txt", content: "x" },
      (workspace) => symlinkSync("elsewhere", join(workspace, "new")),
    ],
    [
      "the file itself",
      writeFile,
      { path: "b.txt", content: "x" },
      (workspace) => symlinkSync("elsewhere/a.txt", join(workspace, "b.txt")),
    ],
    [
      "an edited file's folder",
      editFile,
      { path: "l/a.txt", old_text: "old", new_text: "new" },
      (workspace) => {
        renameSync(join(workspace, "l"), join(workspace, "gone"));
        symlinkSync("elsewhere", join(workspace, "l"));
      },
    ],
    [
      "a file that is only read",
      { ...readFile, permission: "ask" },
      { path: "l/a.txt" },
      (workspace) => {
        renameSync(join(workspace, "l"), join(workspace, "gone"));
        symlinkSync("elsewhere", join(workspace, "l"));
      },
    ],
  ];
  for (const [name, tool, input, swap] of cases) {
    const parts = agentThatCalls(t, tool, [input]);
    for (const folder of ["l", "elsewhere"]) mkdirSync(join(parts.workspace, folder, "deep"), { recursive: true });
    for (const folder of ["l", "elsewhere"]) writeFileSync(join(parts.workspace, folder, "a.txt"), "old");
    const turn = parts.turn("task");
    const { request_id: id } = await asked(parts);
    swap(parts.workspace);
    parts.humanRequests.answer(id, "allow_always");
    t.match(resultOf(await turn), { output: null, error: /cannot be (read|written)/ }, name);
    t.equal(readFileSync(join(parts.workspace, "elsewhere/a.txt"), "utf8"), "old", name);
    t.notOk(existsSync(join(parts.workspace, "elsewhere/deep/a.txt")), name);
  }
});

t.test("a path outside the workspace is denied without a permission request", async (t) => {
  const parts = agentThatCalls(t, writeFile, [{ path: "out/a.txt", content: "x" }]);
  symlinkSync(freshFolder(t), join(parts.workspace, "out"));
  const events = await parts.turn("task");
  t.match(resultOf(events), { error: /leads out of the workspace/ });
  t.notOk(events.some(({ event }) => event === "hitl_request"));
});
