import t from "tap";
import { REMOTES, type Remote } from "../wire-formats.ts";
import { Dice, hostileRequest } from "./hostile-requests.ts";
import { sentBody } from "./sent-body.ts";
import { problemsIn } from "./strict-providers.ts";

const HISTORIES = Number(process.env["ORCHD_HISTORIES"] ?? 500);
const SEED = Number(process.env["ORCHD_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

const MODELS: Readonly<Record<Remote, readonly string[]>> = {
  anthropic: ["claude-sonnet-4-5", "claude-opus-5", "claude-3-5-haiku-20241022"],
  openai: ["gpt-5.1", "gpt-4.1"],
  google: ["gemini-2.5-pro", "gemini-3-pro"],
  bedrock: [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.amazon.nova-2-lite-v1:0",
    "meta.llama4-maverick-17b-instruct-v1:0",
  ],
  "openai-compatible": ["any", "mistral-large", "deepseek-v4"],
};

for (const remote of REMOTES) {
  const count = Math.ceil(HISTORIES / REMOTES.length);
  t.test(`whatever ${count} histories and tools hold, ${remote} is sent nothing that it refuses`, async (t) => {
    t.comment(`ORCHD_SEED=${SEED}`);
    for (let index = 0; index < count; index++) {
      const request = hostileRequest(new Dice(SEED + index), MODELS[remote]);
      const problems = problemsIn(remote, await sentBody(remote, request));
      if (problems.length === 0) continue;
      t.fail(`ORCHD_SEED=${SEED + index}: ${problems[0]}`, {
        problems: problems.slice(0, 5),
        request: JSON.stringify(request).slice(0, 4000),
      });
      return;
    }
    t.pass(`${count} histories`);
  });
}
