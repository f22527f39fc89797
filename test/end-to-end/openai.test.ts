import OpenAI from "openai";
import t from "tap";
import { ask } from "../helpers/api.ts";
import { openFleet } from "../helpers/sleepers.ts";

const APP = "https://app.example.com";
const fleet = await openFleet(t, { policy: { allowed_origins: [APP] } });
const alice = await fleet.provision("alice");
const base = fleet.daemon.url;
const messages = [{ role: "user", content: "/say Hello" }] as const;

t.test("the client of a backend reaches a sleeping engine through the daemon", async (t) => {
  const client = new OpenAI({ apiKey: alice.key, baseURL: `${base}/e/${alice.id}/v1`, maxRetries: 0 });
  const first = await client.responses.create({ model: "default", input: "/say one" });
  await alice.sleep();
  const second = await client.responses.create({ model: "default", input: "/say two", previous_response_id: first.id });
  t.equal(second.output_text, "two");
  t.same(second.conversation, first.conversation);
  const stream = client.chat.completions.stream({ model: "default", messages: [...messages] });
  t.equal(await stream.finalContent(), "Hello");
  const stranger = new OpenAI({ apiKey: "sk-orch-wrong", baseURL: `${base}/e/${alice.id}/v1`, maxRetries: 0 });
  t.match(await stranger.models.list().catch((error: unknown) => error), { status: 401, code: "invalid_api_key" });
});

t.test("the client of a browser calls its engine with a token of its user", async (t) => {
  const { body } = await alice.post("tokens", {});
  const client = new OpenAI({
    apiKey: body.token,
    baseURL: `${base}/me/v1`,
    maxRetries: 0,
    defaultHeaders: { Origin: APP },
  });
  t.ok((await client.models.list()).data.some(({ id }) => id === "default"));
  const { data, response } = await client.chat.completions
    .create({ model: "default", messages: [...messages] })
    .withResponse();
  t.equal(data.choices[0]?.message.content, "Hello");
  t.equal(response.headers.get("access-control-allow-origin"), APP);
  const preflight = await ask(base, "/me/v1/chat/completions", {
    method: "OPTIONS",
    headers: {
      origin: APP,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-lang,x-task-id",
    },
  });
  t.match(preflight, { status: 204, headers: { "access-control-allow-origin": APP } });
  t.comment(preflight.headers["access-control-allow-headers"], response.headers.get("access-control-expose-headers"));
  const expired = new OpenAI({ apiKey: "orcht_wrong", baseURL: `${base}/me/v1`, maxRetries: 0 });
  t.match(await expired.models.list().catch((error: unknown) => error), { status: 401, code: "invalid_api_key" });
});
