import type { Test } from "tap";
import { until } from "../helpers/until.ts";
import { type BackendUnderTest, ask, started, storedOf } from "./under-test.ts";

export async function logCases(t: Test, under: BackendUnderTest): Promise<void> {
  const { backend } = under;

  await t.test("the log of an engine", async (t) => {
    const { order, process } = await started(t, under, await under.order("does-as-told.log"));
    const engine = storedOf(order);
    const say = (text: string, to = "stdout") => ask(process, "say", { text, to });
    /** A backend may learn of a line after the engine's answer. */
    const logged = async (text: string, to?: string) => {
      const before = (await backend.logs(engine, 100)).length;
      await say(text, to);
      await until("the line is in the log", async () => (await backend.logs(engine, 100)).length > before);
    };
    const follow = async (lines: number, count: number, during: () => Promise<unknown>) => {
      const abort = new AbortController();
      const seen: string[] = [];
      for await (const line of backend.followLogs(engine, { lines, signal: abort.signal })) {
        seen.push(line);
        if (seen.length === Math.max(1, lines)) await during();
        if (seen.length >= count) abort.abort();
      }
      return seen;
    };

    await t.test("has what it wrote to both outputs, in order", async (t) => {
      await logged("one");
      await logged("two", "stderr");
      await logged("three");
      t.same(await backend.logs(engine, 10), ["ready", "one", "two", "three"]);
    });

    await t.test("is read from its end", async (t) => {
      t.same(await backend.logs(engine, 2), ["two", "three"]);
      t.same(await backend.logs(engine, 0), []);
    });

    await t.test("shows no key", async (t) => {
      await logged("using sk-orch-0123456789abcdef");
      t.same(await backend.logs(engine, 1), ["using sk-orch-[redacted]"]);
    });

    await t.test("is followed from its last lines on", async (t) => {
      const seen = await follow(1, 3, async () => {
        await say("four");
        await say("five");
      });
      t.same(seen.slice(1), ["four", "five"]);
    });

    await t.test("shows no key to a follower", async (t) => {
      const seen = await follow(1, 2, () => say("again sk-orch-0123456789abcdef"));
      t.equal(seen[1], "again sk-orch-[redacted]");
    });

    await t.test("ends for a follower that leaves", async (t) => {
      const abort = new AbortController();
      const lines = backend.followLogs(engine, { lines: 0, signal: abort.signal })[Symbol.asyncIterator]();
      const next = lines.next();
      abort.abort();
      t.match(await next, { done: true });
    });

    await t.test("has long lines, cut", async (t) => {
      await logged("x".repeat(12_000));
      const [line = ""] = await backend.logs(engine, 1);
      t.ok(line.length >= 12_000 && line.length <= 16_384);
    });

    await t.test("has text of all alphabets", async (t) => {
      await logged("żółć 😀");
      t.same(await backend.logs(engine, 1), ["żółć 😀"]);
    });

    await t.test("is read by another daemon", async (t) => {
      t.same(await under.laterDaemon().logs(engine, 1), ["żółć 😀"]);
    });

    await t.test("is there after the exit", async (t) => {
      await say("last words");
      await process.stop(5000);
      t.same(await backend.logs(engine, 1), ["last words"]);
    });
  });

  await t.test("an engine that never ran has no log", async (t) => {
    t.same(await backend.logs({ id: "eng_never", product_id: "prd_acme", user_id: "nobody" }, 5), []);
  });
}
