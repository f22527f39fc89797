import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import t, { type Test } from "tap";
import { until } from "../helpers/until.ts";

const kit = resolve(import.meta.dirname, "../../src/shared/shutdown-signals.ts");

/** A program that says what it hears, and ends by itself only after a while. */
function start(t: Test) {
  const program = `
    import { shutdownSignal } from ${JSON.stringify(kit)};
    shutdownSignal().then((signal) => console.log("heard " + signal));
    setTimeout(() => {}, 30_000);
    console.log("up");
  `;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], { env: {}, stdio: "pipe" });
  t.teardown(() => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  return { child, says: (words: string) => until(`it says ${words}`, () => printed.includes(words)) };
}

t.test("a signal that npm forwards again does not count as a second one", async (t) => {
  const { child, says } = start(t);
  await says("up");
  child.kill("SIGINT");
  child.kill("SIGINT");
  await says("heard SIGINT");
  t.equal(child.exitCode, null);
});

t.test("a person who asks twice ends the program at once", async (t) => {
  const { child, says } = start(t);
  await says("up");
  child.kill("SIGTERM");
  await says("heard SIGTERM");
  const ended = once(child, "exit");
  const asking = setInterval(() => child.kill("SIGTERM"), 100);
  t.teardown(() => clearInterval(asking));
  t.same(await ended, [130, null]);
});
