import Anthropic from "@anthropic-ai/sdk";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";
import { runSnippet } from "./parts/run-snippet.ts";
import { ENVIRONMENT, managedClient, message } from "./parts/managed-client.ts";

const engine = await startEngine(t);
const { client, sessions, newSession, listed, say } = managedClient(engine);

t.test("sessions are listed, changed, archived and deleted", async (t) => {
  const { id } = await newSession({ metadata: { folder: "list", keep: "1" } });
  const changed = await sessions.update(id, { title: "Renamed", metadata: { folder: null, more: "2" } });
  t.strictSame(changed.metadata, { keep: "1", more: "2" });
  t.match(await sessions.retrieve(id), { title: "Renamed", usage: { input_tokens: 0 } });
  const ids = async (query = {}) => (await Array.fromAsync(sessions.list({ limit: 3, ...query }))).map((one) => one.id);
  t.ok((await ids()).includes(id));
  t.type((await sessions.archive(id)).archived_at, "string");
  t.notOk((await ids()).includes(id));
  t.ok((await ids({ include_archived: true })).includes(id));
  t.match(await sessions.delete(id), { id, type: "session_deleted" });
  await t.rejects(sessions.retrieve(id), Anthropic.NotFoundError);
});

t.test("a session begins with its initial events, and a repeated call does not begin another", async (t) => {
  const options = { headers: { "idempotency-key": "order-17" } };
  const params = { agent: "default", environment_id: ENVIRONMENT, initial_events: [message("/say once")] };
  const first = await sessions.create(params, options);
  const second = await sessions.create(params, options);
  t.equal(second.id, first.id);
  const asked = (await listed(first.id)).filter(({ type }) => type === "user.message");
  t.equal(asked.length, 1);
});

t.test("agents and the environment are those of the engine", async (t) => {
  const agents = await Array.fromAsync(client.beta.agents.list({ limit: 1 }));
  t.ok(agents.some(({ id }) => id === "default"));
  t.match(await client.beta.agents.retrieve("default"), { type: "agent", name: "default", version: 1 });
  t.match(await Array.fromAsync(client.beta.agents.versions.list("default")), [{ id: "default" }]);
  const environments = await Array.fromAsync(client.beta.environments.list());
  t.match(environments, [{ id: ENVIRONMENT, type: "environment" }]);
  t.match(await client.beta.environments.retrieve(ENVIRONMENT), { id: ENVIRONMENT });
});

t.test("what the engine does not have is refused in the protocol's form", async (t) => {
  const { id } = await newSession();
  const refused = async (call: Promise<unknown>, status: number, type: string, text: RegExp) => {
    const error = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Anthropic.APIError)) return t.fail("expected an error of the protocol");
    t.match({ status: error.status, type: error.type, message: error.apiMessage }, { status, type, message: text });
    return t.match(error.error, { type: "error", request_id: /^req_\w{32}$/ });
  };
  const bad = "invalid_request_error";
  const send = (event: object) => sessions.events.send(id, { events: [event as never] });
  await refused(client.beta.agents.create({ name: "x", model: "y" }), 400, bad, /not supported/);
  await refused(client.beta.vaults.create({ display_name: "x" }), 400, bad, /a vault is not supported/);
  await refused(Array.fromAsync(sessions.threads.list(id)), 400, bad, /a thread of a session is not supported/);
  await refused(newSession({ vault_ids: ["v"] }), 400, bad, /^vault_ids: not supported/);
  await refused(newSession({ agent: "nobody" }), 404, "not_found_error", /no agent named nobody/);
  await refused(newSession({ environment_id: "env_other" }), 404, "not_found_error", /env_workspace/);
  await refused(newSession({ metadata: { a: 1 } }), 400, bad, /^metadata\.a: /);
  await refused(sessions.retrieve("none"), 404, "not_found_error", /no task/);
  await refused(
    send({ type: "user.define_outcome" }),
    400,
    bad,
    /^events\.0\.type: user\.define_outcome is not supported/,
  );
  await refused(send({ type: "user.tool_result", tool_use_id: "x" }), 400, bad, /^events\.0\.type: /);
  await refused(send({ type: "user.message", content: [] }), 400, bad, /^events\.0\.content: /);
  await refused(
    send({ type: "user.message", content: [{ type: "image", source: { type: "url" } }] }),
    400,
    bad,
    /content\.0\.source\.type/,
  );
  await refused(
    send({ type: "user.tool_confirmation", tool_use_id: "turn_x.y", result: "allow" }),
    400,
    bad,
    /this session/,
  );
  await refused(listed(id, { limit: 0 }), 400, bad, /^limit: expected 1 to 1000/);
  await refused(listed(id, { page: "next" }), 400, bad, /^page: /);
  await refused(Array.fromAsync(sessions.list({ order: "asc" })), 400, bad, /^order: /);
  await refused(client.beta.environments.create({ name: "x" }), 403, "permission_error", /one environment/);
  const stranger = new Anthropic({ apiKey: "wrong", baseURL: engine.url, maxRetries: 0 });
  await refused(Array.fromAsync(stranger.beta.sessions.list()), 401, "authentication_error", /key/);
});

t.test("an event of another session answers nothing", async (t) => {
  const [one, other] = [await newSession(), await newSession()];
  await say(one.id, "/ask Which?\n/say fine", async ([asked]) => {
    const event = {
      type: "user.custom_tool_result" as const,
      custom_tool_use_id: String(asked),
      content: [{ type: "text" as const, text: "x" }],
    };
    await t.rejects(sessions.events.send(other.id, { events: [event] }), /this session/);
    await sessions.events.send(one.id, { events: [event] });
  });
});

t.test("the snippet of the documentation prints the answer", async (t) => {
  t.match(await runSnippet(t, "managed-agents", engine), /I am the sandbox model/);
});
