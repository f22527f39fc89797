import { execFile } from "node:child_process";
import { resolve } from "node:path";
import t from "tap";

const source = (name: string) => JSON.stringify(resolve(import.meta.dirname, "../../src/shared", name));

/** Runs a program with the listener of background failures. Resolves with its exit code and log lines. */
function run(program: string): Promise<{ code: number; lines: unknown[] }> {
  const script = `
    import { backgroundSettled, inBackground, logBackgroundFailures, untilExit } from ${source("background.ts")};
    import { createLogger } from ${source("logger.ts")};
    logBackgroundFailures(createLogger("test", "info"));
    ${program}
  `;
  return new Promise((done) => {
    execFile(process.execPath, ["--input-type=module-typescript", "-e", script], (error, stdout) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      done({ code: Number(error?.code ?? 0), lines: lines.map((line) => JSON.parse(line)) });
    });
  });
}

t.test("failed background work is logged with its name, and the process goes on", async (t) => {
  const { code, lines } = await run(`
    inBackground("wake", Promise.reject(new Error("no database")), { engine_id: "eng_1" });
    setTimeout(() => process.exit(7), 20);
  `);
  t.equal(code, 7);
  t.match(lines, [
    { work: "wake", engine_id: "eng_1", err: { message: "no database" }, msg: "background work failed" },
  ]);
});

t.test("a rejection that nobody handles is logged as unknown work", async (t) => {
  const { code, lines } = await run(`
    Promise.reject(new Error("forgotten"));
    setTimeout(() => process.exit(7), 20);
  `);
  t.equal(code, 7);
  t.match(lines, [{ work: "unknown", err: { message: "forgotten" } }]);
});

t.test("an uncaught exception ends the process", async (t) => {
  const { code } = await run(`
    setTimeout(() => { throw new Error("broken"); }, 1);
    setTimeout(() => process.exit(7), 1000);
  `);
  t.equal(code, 1);
});

t.test("work in progress is waited for, also what it starts, and what lasts longer is named", async (t) => {
  const { lines } = await run(`
    const print = (value) => console.log(JSON.stringify(value));
    const hold = setInterval(() => undefined, 1000);
    const forever = Promise.withResolvers();
    const first = Promise.withResolvers();
    untilExit("wait for an exit", forever.promise);
    inBackground("first", first.promise.then(() => inBackground("second", Promise.resolve().then(() => print("second")))));
    setImmediate(first.resolve);
    print(await backgroundSettled(60_000));
    const failed = Promise.reject(new Error("no database"));
    inBackground("failed", failed);
    await failed.catch(() => undefined);
    print(await backgroundSettled(60_000));
    const late = Promise.withResolvers();
    inBackground("late", late.promise);
    print(await backgroundSettled(1));
    late.reject(new Error("the database is closed"));
    setImmediate(() => clearInterval(hold));
  `);
  t.match(lines, ["second", [], [], { work: "failed" }, ["late"]]);
  t.equal(lines.length, 5, "a failure of what was abandoned is not logged");
});
