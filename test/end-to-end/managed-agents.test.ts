import Anthropic, { toFile } from "@anthropic-ai/sdk";
import t from "tap";
import { message, readTurn, typesOf } from "../engine/protocols/parts/managed-client.ts";
import { freePort } from "../helpers/daemon.ts";
import { openFleet } from "../helpers/sleepers.ts";

const port = await freePort();
const base = `http://localhost:${port}`;
// A name instead of an address: engines are called through the gateway.
const fleet = await openFleet(t, { env: { ORCH_HOST: "localhost", ORCH_PORT: String(port), ORCH_PUBLIC_URL: base } });
const anna = await fleet.provision("anna");
const backend = new Anthropic({ baseURL: anna.url, apiKey: anna.key, maxRetries: 0 });
const params = { agent: "default", environment_id: "env_workspace" };

t.test("a token of an end user calls the sessions of its user, and those of nobody else", async (t) => {
  const { body: made } = await anna.post("tokens", {});
  const user = new Anthropic({ baseURL: `${base}/me`, authToken: made.token, apiKey: null, maxRetries: 0 });
  const { id } = await user.beta.sessions.create(params);
  const stream = await user.beta.sessions.events.stream(id);
  await user.beta.sessions.events.send(id, { events: [message("/ask Which?\n/say fine")] });
  const events = await readTurn(stream, async ([asked]) => {
    const content = [{ type: "text" as const, text: "this" }];
    const event = { type: "user.custom_tool_result" as const, custom_tool_use_id: String(asked), content };
    await user.beta.sessions.events.send(id, { events: [event] });
  });
  t.match(events.at(-1), { stop_reason: { type: "end_turn" } });
  t.ok((await Array.fromAsync(user.beta.agents.list())).some((agent) => agent.id === "default"));
  const { body: reading } = await anna.post("tokens", { scope: "tasks:read" });
  const reader = new Anthropic({ baseURL: `${base}/me`, authToken: reading.token, apiKey: null, maxRetries: 0 });
  t.equal((await reader.beta.sessions.retrieve(id)).id, id);
  await t.rejects(reader.beta.sessions.create(params), Anthropic.PermissionDeniedError);
  const { body: bound } = await anna.post("tokens", { tasks: { ids: ["mine"] } });
  const other = new Anthropic({ baseURL: `${base}/me`, authToken: bound.token, apiKey: null, maxRetries: 0 });
  await t.rejects(other.beta.sessions.retrieve(id), Anthropic.PermissionDeniedError);
  await t.rejects(Array.fromAsync(other.beta.sessions.events.list(id)), Anthropic.PermissionDeniedError);
  const wrong = new Anthropic({ baseURL: `${base}/me`, authToken: "orcht_x", apiKey: null, maxRetries: 0 });
  await t.rejects(wrong.beta.sessions.retrieve(id), Anthropic.AuthenticationError);
});

t.test("files are uploaded with the scope for it, and a token that is bound to tasks reaches none", async (t) => {
  const as = async (request: object) => {
    const { body } = await anna.post("tokens", request);
    const options = { baseURL: `${base}/me`, authToken: body.token as string, apiKey: null, maxRetries: 0 };
    return new Anthropic(options).beta.files;
  };
  const file = await toFile(Buffer.from("one,two"), "data.csv");
  const writer = await as({ scope: "files:read files:write" });
  const { id } = await writer.upload({ file });
  t.equal(await (await backend.beta.files.download(id)).text(), "one,two");
  const reader = await as({ scope: "files:read" });
  t.equal((await reader.retrieveMetadata(id)).filename, "data.csv");
  await t.rejects(reader.upload({ file }), Anthropic.PermissionDeniedError);
  await t.rejects(reader.delete(id), Anthropic.PermissionDeniedError);
  const bound = await as({ tasks: { ids: ["mine"] } });
  await t.rejects(bound.download(id), Anthropic.PermissionDeniedError);
  await t.rejects(bound.retrieveMetadata(id), Anthropic.PermissionDeniedError);
  await t.rejects(bound.upload({ file }), Anthropic.PermissionDeniedError);
  await t.rejects(bound.delete(id), Anthropic.PermissionDeniedError);
  await anna.sleep();
  t.equal(await (await writer.download(id)).text(), "one,two", "the engine wakes for it");
});

t.test("a stream goes on after the engine has slept, without a gap", async (t) => {
  const { sessions } = backend.beta;
  const { id } = await sessions.create(params);
  const stream = await sessions.events.stream(id);
  const reading = readTurn(stream);
  await anna.sleep();
  await sessions.events.send(id, { events: [message("/say awake")] });
  const events = await reading;
  t.match(typesOf(events), ["user.message", "session.status_running"]);
  t.same(await Array.fromAsync(sessions.events.list(id)), events);
});

t.test("a turn whose engine is killed is read to its end, and its events have the same ids", async (t) => {
  const { sessions } = backend.beta;
  const { id } = await sessions.create(params);
  const before = await sessions.events.stream(id);
  await sessions.events.send(id, { events: [message("/say one\n/ask Which?\n/say two")] });
  const seen = await readTurn(before, async () => before.controller.abort());
  const asked = seen.find(({ type }) => type === "agent.custom_tool_use");
  const { pid } = await anna.isIn("running");
  process.kill(pid, "SIGKILL");
  const after = await sessions.events.stream(id);
  const known = await Array.fromAsync(sessions.events.list(id));
  t.same(known, seen);
  const content = [{ type: "text" as const, text: "this" }];
  const custom_tool_use_id = asked?.type === "agent.custom_tool_use" ? asked.id : "";
  await sessions.events.send(id, { events: [{ type: "user.custom_tool_result", custom_tool_use_id, content }] });
  const rest = await readTurn(after);
  t.same(await Array.fromAsync(sessions.events.list(id)), [...seen, ...rest]);
});
