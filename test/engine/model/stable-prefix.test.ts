import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { KEY } from "./adapter.ts";
import { startUpstream, streams } from "./upstream.ts";
import { FRAMES, NEEDED_SETTINGS, REMOTES } from "./wire-formats.ts";

/** What a provider's cache reads, in the order it reads it: what is the same from call to call, and what grows. */
function partsOfBody(body: Readonly<Record<string, unknown>>) {
  const { tools, toolConfig, system, systemInstruction, messages, contents, input } = body;
  const grows = messages ?? contents ?? input;
  return {
    same: JSON.stringify([tools ?? toolConfig, system ?? systemInstruction]),
    grows: (grows as readonly unknown[]).map((message) => JSON.stringify(withoutMarks(message))),
  };
}

/** The marks of the cache move on with the conversation; they are no part of what is kept. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !isMark(one)).map(withoutMarks);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "cache_control");
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutMarks(inner)]));
}

const isMark = (value: unknown): boolean => typeof value === "object" && value !== null && "cachePoint" in value;

for (const remote of REMOTES) {
  t.test(
    `tools and system prompt reach ${remote} in the same bytes over turns, tasks and a restart, and history only grows`,
    async (t) => {
      const upstream = await startUpstream(t, streams(FRAMES[remote]));
      const settings = {
        LLM_PROVIDER: remote,
        LLM_API_KEY: KEY,
        LLM_BASE_URL: upstream.url,
        ...NEEDED_SETTINGS[remote],
      };
      const dataDir = t.testdir();
      const first = await startEngine(t, { settings, dataDir });
      const say = (engine: typeof first, task: string, message: string) =>
        engine.turn(task, message, { thinking: true, max_steps: 2 });
      for (const message of ["one", "two", "three"]) await say(first, "task", message);
      await say(first, "another", "four");
      await first.stop();
      const second = await startEngine(t, { settings, dataDir });
      await say(second, "task", "five");
      t.equal(upstream.received.length, 10);
      const sent = upstream.received.map(({ body }) => partsOfBody(body as Record<string, unknown>));
      t.equal(new Set(sent.map(({ same }) => same)).size, 1, "the same bytes each time");
      t.ok((sent[0]?.same.length ?? 0) > 1000);
      // The last request of a turn is taken up by the first of the next; "another" stands between.
      const conversation = sent.filter((_, index) => index !== 6 && index !== 7);
      const before = conversation.map((_, index) => conversation[index - 1]?.grows ?? []);
      t.strictSame(
        conversation.map(({ grows }, index) => grows.slice(0, before[index]?.length)),
        before,
        "each call begins as the one before",
      );
      t.ok(conversation.every(({ grows }, index) => grows.length > (before[index]?.length ?? 0)));
    },
  );
}
