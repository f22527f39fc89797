import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { freePort } from "../helpers/daemon.ts";
import { until } from "../helpers/until.ts";
import { root, startProduct } from "./backends.ts";

t.test("the backend of the README answers", async (t) => {
  const product = await startProduct(t);
  const [, code = ""] = /```js\n([^]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  const port = await freePort();
  const own = code.replace("http://127.0.0.1:7700", product.daemon.url).replace("listen(3000)", `listen(${port})`);
  t.ok(own.includes(product.daemon.url) && own.includes(String(port)), "its addresses are those of the test");
  // Within the repository, so that it finds the package as a product does.
  const file = join(t.testdir(), "backend.js");
  writeFileSync(file, own);
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env["PATH"] ?? "", PLATFORM_KEY: product.platformKey },
    stdio: ["ignore", "ignore", "inherit"],
  });
  t.teardown(async () => {
    const exited = once(child, "exit");
    child.kill();
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  const call = { method: "POST", headers: { "x-user": "alice" }, body: "/say Hello" };
  const answer = await until("the backend answers", () => ask(url, "/", call).catch(() => null));
  t.match(answer, { status: 200, text: "Hello" });
  t.match(await ask(url, "/", { ...call, body: "/say Again" }), { status: 200, text: "Again" });
  const asked = await ask(url, "/", { ...call, body: "/ask Which one? | this | that\n/say Thank you" });
  t.match(asked.text, /^Which one\? \(this, that\)\n$/, "a question ends the response");
  const rest = await ask(url, "/", { ...call, body: "that" });
  t.match(rest.text, /Thank you/, "the next message answers it");
  t.notMatch(rest.text, /Which one/, "what was sent before does not come again");
  const prompt = { ...call, body: '/tool write_file {"path": "a.txt", "content": "x"}' };
  t.match((await ask(url, "/", prompt)).text, /May the agent use write_file on a\.txt.*deny/);
  t.match(await ask(url, "/", { ...call, body: "nonsense" }), { text: /^\w+: / }, "a refused answer is told");
  t.match(await ask(url, "/", { ...call, body: "deny" }), { status: 200 });
  t.match((await ask(url, "/", { ...call, body: "/fail provider" })).text, /^LLM_PROVIDER_ERROR: /);
  const key = { "x-platform-key": product.platformKey };
  await ask(product.daemon.url, "/engines/alice/rotate-key", { method: "POST", headers: key });
  t.match(await ask(url, "/", call), { status: 200, text: "Hello" }, "a key that somebody replaced is replaced again");
});
