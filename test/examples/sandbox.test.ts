import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { resolve } from "node:path";
import t from "tap";
import { report } from "../../src/sandbox/index.ts";
import { freePort } from "../helpers/fleet.ts";
import { withoutPython } from "./backends.ts";

const root = resolve(import.meta.dirname, "../..");
const skip = report().files ?? false;

function example(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const file = resolve(root, "examples/sandbox", name);
  return spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

t.test("an untrusted script reads nothing of this checkout", { skip }, async (t) => {
  const child = example("untrusted-script.ts", [`cat ${root}/package.json; echo kept > note && cat note`]);
  const output = await text(child.stdout);
  t.match(output, /Permission denied[^]*kept[^]*ended with 0/);
});

t.test(
  "an untrusted server serves its folder, and ends with its parent's signal",
  { skip: skip || withoutPython() },
  async (t) => {
    const port = await freePort();
    const child = example("untrusted-server.ts", [resolve(root, "docs")], { PORT: String(port) });
    t.teardown(() => child.kill("SIGKILL"));
    child.stdout.setEncoding("utf8");
    const [first] = (await once(child.stdout, "data")) as [string];
    t.match(first, "Serving HTTP");
    t.match(await (await fetch(`http://127.0.0.1:${port}/client.md`)).text(), "@orchd/client");
    child.kill("SIGTERM");
    await once(child, "exit");
  },
);
