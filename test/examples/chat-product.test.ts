import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import type { UserClient } from "../../src/client/user-client.ts";
import { documentText } from "../documents/documents.ts";
import { ask } from "../helpers/api.ts";
import { freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";
import { root } from "./backends.ts";

const PAGE = "docs/build-a-chat-product.md";
const TOOL_SECRET = "the-shop's-secret";
const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of the test, 32 bytes..").toString("base64")}`;

/** What the page's functions show. */
interface Shown {
  readonly texts: string[];
  readonly questions: { readonly request_id: string; readonly question: string }[];
  readonly messages: string[];
  readonly tools: string[];
  readonly failures: string[];
}

interface Page {
  readonly agent: Pick<UserClient, "taskMessages">;
  send(taskId: string, message: string, show: object): Promise<void>;
  edit(taskId: string, messageId: string, message: string, show: object): Promise<void>;
  openConversation(taskId: string, show: object): Promise<void>;
  watchConversations(show: object): Promise<void>;
  correct(taskId: string, message: string): Promise<unknown>;
  waiting(taskId: string): Promise<readonly { readonly message_id: string }[]>;
  takeBack(taskId: string, messageId: string): Promise<unknown>;
  openQuestions(): Promise<readonly { readonly request_id: string }[]>;
  answer(requestId: string, text: string): Promise<void>;
  upload(file: File): Promise<unknown>;
  download(path: string): Promise<string>;
  sendWith(taskId: string, message: string, file: File, show: object): Promise<void>;
}

t.setTimeout(180_000);

t.test("the product of the document works, step by step", async (t) => {
  const [dataDir, databaseUrl, home] = [freshFolder(t), await freshDatabaseUrl(t), freshFolder(t, "home")];
  const daemon = await startDaemon(t, { dataDir, databaseUrl });
  t.teardown(() => daemon.admin("/products/demo?force=true", { method: "DELETE" }));
  const backendUrl = `http://127.0.0.1:${await freePort()}`;
  const own = (text: string) =>
    text
      .replaceAll("http://127.0.0.1:7700", daemon.url)
      .replaceAll("127.0.0.1:3000", backendUrl.slice(7))
      .replace("listen(3000", `listen(${new URL(backendUrl).port}`);
  const snippets = (language: string, name = "") =>
    [...documentText(PAGE).matchAll(new RegExp(`^\`\`\`${language}\\n${name}([^]*?)^\`\`\``, "gm"))].map(
      ([, code = ""]) => own(code),
    );

  const folder = t.testdir({});
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ORCH_URL: daemon.url,
    ORCH_DATA_DIR: dataDir,
    ORCHCTL_CONFIG_DIR: join(home, "config"),
    TOOL_SECRET,
    WEBHOOK_SECRET,
  };
  const npx = `npx() { shift; ${JSON.stringify(process.execPath)} ${join(root, "bin/orchctl.js")} "$@"; }`;
  const commands = snippets("sh").join("\n");
  const { stdout } = await promisify(execFile)("bash", ["-ec", `${npx}\n${commands}`], { cwd: folder, env });
  const [platformKey = ""] = /orchp_[\w-]{20,}/.exec(stdout) ?? [];
  t.match(platformKey, /^orchp_/);

  writeFileSync(join(folder, "backend.js"), snippets("js", "// backend.js").join("\n"));
  writeFileSync(join(folder, "page.js"), snippets("js", "// page.js").join("\n"));
  const child = spawn(process.execPath, ["backend.js"], {
    cwd: folder,
    env: { ...env, PLATFORM_KEY: platformKey },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let pushed = "";
  child.stdout.on("data", (chunk: Buffer) => (pushed += chunk.toString()));
  const exited = once(child, "exit");
  t.teardown(async () => {
    child.kill();
    await exited;
  });
  const headers = { "x-user": "alice" };
  await until("the backend listens", () => ask(backendUrl, "/").catch(() => null));
  t.equal((await ask(backendUrl, "/token", { method: "POST" })).status, 401, "nobody is signed in");

  // A page's addresses are relative, and its calls have the session.
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) =>
    String(input).startsWith("/") ? fetch(backendUrl + String(input), { ...init, headers }) : fetch(input, init);
  t.teardown(() => void (globalThis.fetch = fetch));
  const page = (await import(join(folder, "page.js"))) as Page;
  const shown = (): Shown & object => {
    const seen: Shown = { texts: [], questions: [], messages: [], tools: [], failures: [] };
    return Object.assign(seen, {
      text: (words: string) => seen.texts.push(words),
      tool: (name: string) => seen.tools.push(name),
      question: (request: Shown["questions"][number]) => seen.questions.push(request),
      message: (role: string, words: string) => seen.messages.push(`${role}: ${words}`),
      failed: (code: string) => seen.failures.push(code),
      removeFrom: () => seen.texts.splice(0),
    });
  };

  await t.test("a conversation that is opened before its first message is empty", async (t) => {
    const show = shown();
    await page.openConversation("t1", show);
    t.same([show.messages, show.texts, show.failures], [[], [], []]);
  });

  await t.test("a turn", async (t) => {
    const show = shown();
    await page.send("t1", "/say Hello", show);
    t.equal(show.texts.join(""), "Hello");
    const failing = shown();
    await page.send("t1", "/fail provider", failing);
    t.same(failing.failures, ["LLM_PROVIDER_ERROR"]);
  });

  await t.test("the list, a reload in the middle of a question, and its answer", async (t) => {
    const conversations: string[] = [];
    const watching = page.watchConversations({ conversation: (id: string) => conversations.push(id) });
    watching.catch(() => undefined);
    const asking = shown();
    const turn = page.send("t2", "/ask Which one? | this | that\n/say Thank you", asking);
    await until("the agent asks", () => asking.questions.length > 0);
    await until("the list has the conversation", () => conversations.includes("t2"));
    const reloaded = shown();
    const opened = page.openConversation("t2", reloaded);
    await until("the reloaded page shows the question", () => reloaded.questions.length > 0);
    t.match(reloaded.messages, [/^user: \/ask/]);
    const [open] = await page.openQuestions();
    await page.answer(open?.request_id ?? "", "that");
    await Promise.all([turn, opened]);
    t.match(asking.texts.join(""), "Thank you");
    t.match(reloaded.texts.join(""), "Thank you");
    const later = shown();
    await page.openConversation("t2", later);
    t.equal(later.messages.length, 2, "afterwards it is the messages alone");
    t.equal(later.texts.length, 0);
  });

  await t.test("messages wait, are taken back, and enter the running turn", async (t) => {
    const show = shown();
    const turn = page.send("t3", "/slow 1000\n/say One", show);
    await until("the turn runs", async () => (await page.waiting("t3").catch(() => null)) !== null);
    const next = shown();
    const queued = page.send("t3", "/say Two", next);
    const message = await until("it waits", async () => (await page.waiting("t3"))[0]);
    await page.takeBack("t3", message.message_id);
    await Promise.all([turn, queued.catch(() => undefined)]);
    t.same(next.failures, ["MESSAGE_REMOVED"]);
    await page.correct("t3", "/say Three");
    await until("a steered message of an idle conversation is a turn", async () => {
      const opened = shown();
      await page.openConversation("t3", opened);
      return opened.messages.includes("assistant: Three");
    });
  });

  await t.test("a tool of the backend knows the user", async (t) => {
    const show = shown();
    await page.send("t4", "/tool list_orders {}", show);
    t.same(show.tools, ["list_orders"]);
    const { items } = await page.agent.taskMessages("t4");
    t.match(JSON.stringify(items), /lamp.*desk/);
    t.equal((await ask(backendUrl, "/tools/orders?user=alice")).status, 401, "and nobody else reads it");
  });

  await t.test("files go up, down and into a message", async (t) => {
    await page.upload(new File(["month,sum\n"], "june.csv"));
    const link = await page.download("uploads/june.csv");
    t.equal(await (await fetch(link)).text(), "month,sum\n");
    const show = shown();
    await page.sendWith("t5", "/attachments", new File(["Hello"], "note.txt"), show);
    t.match(show.texts.join(""), "note.txt");
  });

  await t.test("the message is changed and answered again", async (t) => {
    const { items } = await page.agent.taskMessages("t1");
    const show = shown();
    await page.edit("t1", items[0]?.message_id ?? "", "/say Changed", show);
    t.equal(show.texts.join(""), "Changed");
    t.equal((await page.agent.taskMessages("t1")).items.length, 2);
  });

  await t.test("the backend is told of turns, and of a reminder that nobody reads", async (t) => {
    await until("a notification came", () => pushed.includes("to alice: Changed"));
    const { body } = await ask(backendUrl, "/reminder", { method: "POST", headers });
    await daemon.platform(platformKey, `/engines/alice/schedules/${body.id}/run`, { method: "POST", body: {} });
    await until("the reminder is told", () => pushed.includes("to alice: Good morning"));
    t.match(pushed, "The agent has a question.");
  });

  await t.test("a user leaves, and comes back as a new one", async (t) => {
    t.match((await ask(backendUrl, "/me", { method: "DELETE", headers })).body, { destroyed: true });
    const show = shown();
    await page.send("t1", "/say Again", show);
    t.equal(show.texts.join(""), "Again");
    t.equal((await page.agent.taskMessages("t1")).items.length, 2, "nothing of before is there");
  });
});
