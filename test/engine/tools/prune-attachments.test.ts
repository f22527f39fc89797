import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { AttachmentNames } from "../../../src/engine/store/attachment-names.ts";
import { MessageTable } from "../../../src/engine/store/messages.ts";
import { openStore } from "../../../src/engine/store/open-store.ts";
import { TaskTable } from "../../../src/engine/store/tasks.ts";
import { ToolCallTable } from "../../../src/engine/store/tool-call-table.ts";
import { pruneAttachments } from "../../../src/engine/tools/attachments/prune-attachments.ts";
import { createLogger } from "../../../src/shared/logger.ts";

const logger = createLogger("test", "silent");

t.test("files that no conversation and no running call has are deleted after a day", async (t) => {
  const dataDir = t.testdir();
  const workspaceDir = join(dataDir, "workspace");
  const folder = join(workspaceDir, ".orch/attachments");
  mkdirSync(folder, { recursive: true });
  const store = openStore(dataDir);
  t.teardown(() => store.close());
  const names = { sent: "0a-photo_ä.png", result: "0b-plot.png", running: "0c-page.pdf" };
  const pathOf = (name: string) => `.orch/attachments/${name}`;
  const file = { name: "photo.png", kind: "image", media_type: "image/png", bytes: 1, digest: "d" } as const;
  const messages = new MessageTable(store);
  const sent = [{ kind: "attachment", file: { ...file, path: pathOf(names.sent) } }];
  new TaskTable(store).turnStarted("talk", { agent: "default", message: "photo", at: 1 });
  messages.append("talk", { turnId: "turn_1", role: "user", content: sent });
  messages.append("talk", { turnId: "turn_1", role: "tool", content: `saved at ${pathOf(names.result)}.` });
  const calls = new ToolCallTable(store);
  const call = { toolCallId: "c", tool: "fetch_url", input: {}, rawInput: "{}" };
  calls.plan({ turnId: "turn_2", thread: "", step: 1 }, call);
  const attachments = [{ ...file, path: pathOf(names.running) }];
  calls.finish("turn_2", "c", { output: null, isError: false, attachments });
  const old = Date.now() / 1000 - 25 * 3600;
  for (const name of [...Object.values(names), "0d-orphan.txt", ".orch-draft-0e", "0f-young.txt"]) {
    writeFileSync(join(folder, name), "x");
    if (!name.includes("young")) utimesSync(join(folder, name), old, old);
  }
  await pruneAttachments({ workspaceDir, names: new AttachmentNames(store), logger });
  t.same(readdirSync(folder).toSorted(), [...Object.values(names), "0f-young.txt"].toSorted());
});

t.test("a linked folder is not followed", async (t) => {
  const workspaceDir = t.testdir({ workspace: {}, elsewhere: { "a.txt": "x" } });
  const elsewhere = join(workspaceDir, "elsewhere");
  utimesSync(join(elsewhere, "a.txt"), 1, 1);
  mkdirSync(join(workspaceDir, "workspace/.orch"));
  symlinkSync(elsewhere, join(workspaceDir, "workspace/.orch/attachments"));
  const names = { in: async () => new Set<string>() };
  await pruneAttachments({ workspaceDir: join(workspaceDir, "workspace"), names, logger });
  t.same(readdirSync(elsewhere), ["a.txt"]);
});
