import t from "tap";
import { logLines } from "../../../../src/orchestrator/fleet/kubernetes/pod-logs.ts";

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}
const read = async (...texts: readonly string[]) =>
  (await Array.fromAsync(logLines(chunks(...texts)))).map((line) => line.text);

t.test("the lines of a pod's log are whole, wherever the chunks end", async (t) => {
  const at = "2026-01-01T00:00:00.5Z";
  t.same(await read(`${at} one\n${at} t`, "wo\n", `${at} żó`, `łć`), ["one", "two", "żółć"]);
  t.same(await read(`${at} \n2026-01-01T00:00:00.123456789+02:00 with  spaces\n`), ["", "with  spaces"]);
});

t.test("messages of the kubelet are not lines of the engine", async (t) => {
  t.same(await read("error: code = Unknown desc = Error: No such container: 6ce0\n"), []);
});

t.test("keys are redacted", async (t) => {
  t.same(await read("2026-01-01T00:00:00Z using sk-orch-0123456789abcdef\n"), ["using sk-orch-[redacted]"]);
});
