import t from "tap";
import { engineParts, testTool } from "../../../helpers/engine-parts.ts";
import { adapterTo } from "../adapter.ts";
import { type Behaviour, type Frames, cutsAfter, startUpstream, streams } from "../upstream.ts";
import { FRAMES, REMOTES, type Remote, streamedErrors } from "../wire-formats.ts";
import { problemsIn } from "./strict-providers.ts";

const CALLS = /list_files|"arguments"|read_file|call_|input_json|function_call|"index":[23]|contentBlockIndex":[23]/;
const withoutCalls = (remote: Remote): Frames =>
  FRAMES[remote].filter(
    (frame) => !CALLS.test(String(frame)) || /response\.completed"|finish_reason":"tool_calls/.test(String(frame)),
  );

/** What a model has been seen to answer, in place of the names, ids and words of the frames. */
const ODD_ANSWERS: readonly (readonly [string, string])[] = [
  ["list_files", "multi_tool_use.parallel"],
  ["list_files", "list files!"],
  ["list_files", "constructor"],
  ["call_1", "functions.list_files:0"],
  ["call_1", "call_2"],
  ["Hello there", " "],
  ["Hello ", String.raw`\ud83d`],
  ["Let me see.", String.raw`\ude00`],
  ['"path', String.raw`"\ud83d`],
  ['\\"path', String.raw`\"\\ud83d`],
];
const odd = (frames: Frames, [from, to]: readonly [string, string]): Frames =>
  frames.map((frame) => (typeof frame === "string" ? frame.replaceAll(from, to) : frame));

for (const remote of REMOTES) {
  t.test(`whatever ${remote} answered and wherever it was cut off, the next turn of the task goes on`, async (t) => {
    const frames = FRAMES[remote];
    const cuts = frames.flatMap((_, count): Behaviour[] => [
      cutsAfter(count, frames),
      streams([...frames.slice(0, count), streamedErrors[remote]]),
    ]);
    const odds = ODD_ANSWERS.map((change) => streams(odd(frames, change)));
    const queue: Behaviour[] = [];
    const rest = streams(withoutCalls(remote));
    const upstream = await startUpstream(t, (response) => (queue.shift() ?? rest)(response));
    const tools = ["list_files", "read_file"].map((name) => testTool(name, async () => ""));
    const parts = engineParts(t, { provider: adapterTo(remote, upstream.url), tools });
    const stuck: unknown[] = [];
    for (const [index, first] of [...cuts, ...odds].entries()) {
      queue.push(first);
      await parts.turn(`task ${index}`, "one");
      const second = await parts.turn(`task ${index}`, "two");
      const end = second.at(-1)?.data;
      if (end?.["phase"] !== "completed") stuck.push({ answer: index, end });
    }
    t.same(stuck, [], "every second turn completes");
    const problems = upstream.received.flatMap(({ body }, index) =>
      problemsIn(remote, body).map((problem) => `request ${index}: ${problem}`),
    );
    t.same(problems, [], "the provider accepts every request");
  });
}
