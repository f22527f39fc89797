import { once } from "node:events";
import { createInterface } from "node:readline";
import t from "tap";
import { RepeatedText } from "../../cli/acp/repeated-text.ts";
import { acpStreams } from "../helpers/editor-streams.ts";
import { startEngine } from "../helpers/engine.ts";

t.test("a line that is no message is refused, and the next one is answered", async (t) => {
  const engine = await startEngine(t);
  const { input, output, served } = acpStreams(engine);
  const lines = createInterface({ input: output });
  const reply = async (line: string) => {
    const answered = once(lines, "line");
    input.write(`${line}\n`);
    return JSON.parse(String((await answered)[0])) as unknown;
  };
  t.match(await reply("no JSON"), { error: { code: -32700 } });
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
  t.match(await reply(JSON.stringify(initialize)), { id: 1, result: { protocolVersion: 1 } });
  const unknown = { jsonrpc: "2.0", id: 2, method: "session/unknown", params: {} };
  t.match(await reply(JSON.stringify(unknown)), { id: 2, error: { code: -32601 } });
  const prompt = { jsonrpc: "2.0", id: 3, method: "session/prompt", params: { sessionId: "nobody", prompt: [] } };
  t.match(await reply(JSON.stringify(prompt)), { id: 3, error: { code: -32002, message: /NOT_FOUND/ } });
  input.end();
  await served;
});

t.test("of an answer that a restart repeats, only what is new is shown", async (t) => {
  const shown = (pieces: readonly string[], again: readonly string[]): string => {
    const said = new RepeatedText();
    const first = pieces.map((piece) => said.take(0, piece));
    said.replace(0);
    return [...first, ...again.map((piece) => said.take(1, piece))].join("");
  };
  t.equal(shown(["One ", "two"], ["One", " two", " three"]), "One two three");
  t.equal(shown(["One"], ["One two"]), "One two");
  t.equal(shown(["One two"], ["One ", "three"]), "One two\n\nOne three", "the model has said something else");
  t.equal(shown(["One two"], ["One "]), "One two", "the repetition is under way");
});
