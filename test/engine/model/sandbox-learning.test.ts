import t from "tap";
import { learningBench } from "../learning/learning-bench.ts";
import { sandboxProvider } from "../../../src/engine/model/sandbox-provider.ts";

t.test("the sandbox model finds facts in plain sentences, and no others", async (t) => {
  const provider = sandboxProvider;
  const bench = learningBench(t, { provider });
  bench.tell(
    { question: "Hello! My name is Ada Lovelace and I live in London." },
    { question: "I work for Analytical Engines, and my favourite drink is green tea." },
    { question: "What is the capital of France?" },
  );
  await bench.learning.trigger();
  t.same(bench.live(), [
    "The user's name is Ada Lovelace.",
    "The user lives in London.",
    "The user works at Analytical Engines.",
    "The user's favourite drink is green tea.",
  ]);
});
