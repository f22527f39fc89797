import t from "tap";
import { SCOPES_HEADER } from "../../../src/contract/engine/headers.ts";
import { BOUND_KEY_HEADER, writeBoundKey } from "../../../src/contract/engine/task-bounds.ts";
import { ask } from "../../helpers/api.ts";
import { startEngine } from "../../helpers/engine.ts";

const engine = await startEngine(t);
const message = (text: string) => ({ id: "m1", role: "user", parts: [{ type: "text", text }] });
const chat = (headers: Readonly<Record<string, string>>, id = "t1") =>
  ask(engine.url, "/v1/ui/chat", { method: "POST", headers, body: { id, messages: [message("/say hello")] } });

t.test("the engine key is taken as other protocols send it", async (t) => {
  for (const headers of [
    { authorization: `Bearer ${engine.key}` },
    { "x-api-key": engine.key },
    { "x-engine-key": engine.key },
  ])
    t.equal((await chat(headers)).status, 200);
  t.match(await chat({ authorization: "Bearer sk-orch-wrong" }), {
    status: 401,
    body: { error: "INVALID_ENGINE_KEY" },
  });
  t.match(await chat({}), { status: 401, body: { error: "INVALID_ENGINE_KEY", message: /Authorization/ } });
});

t.test("the engine's own interface does not take a bearer key", async (t) => {
  const { status } = await ask(engine.url, "/tasks", { headers: { authorization: `Bearer ${engine.key}` } });
  t.equal(status, 401);
});

t.test("a key that is bound to tasks reaches no other through a protocol", async (t) => {
  const headers = { [BOUND_KEY_HEADER]: writeBoundKey(engine.key, { ids: ["mine"] }) };
  t.equal((await chat(headers, "mine")).status, 200);
  t.match(await chat(headers, "other"), { status: 403, body: { error: "INSUFFICIENT_SCOPE" } });
});

t.test("an operation behind a protocol's route needs its own scope", async (t) => {
  const withScopes = (scopes: string) => ({ "x-engine-key": engine.key, [SCOPES_HEADER]: scopes });
  t.equal((await chat(withScopes("turns answers"))).status, 200);
  t.match(await chat(withScopes("answers")), { status: 403, body: { details: { scope: "turns" } } });
});
