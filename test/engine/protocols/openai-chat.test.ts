import OpenAI from "openai";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";

const engine = await startEngine(t);
const client = new OpenAI({ apiKey: engine.key, baseURL: `${engine.url}/v1`, maxRetries: 0 });
const user = (content: string) => ({ role: "user", content }) as const;
const create = (messages: OpenAI.ChatCompletionMessageParam[], more: object = {}) =>
  client.chat.completions.create({
    model: "default",
    messages,
    ...more,
  } as OpenAI.ChatCompletionCreateParamsNonStreaming);
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const textOf = (completion: OpenAI.ChatCompletion) => completion.choices[0]?.message.content ?? "";
const taskOf = async (messages: OpenAI.ChatCompletionMessageParam[], more: object = {}) => {
  const { data, response } = await client.chat.completions
    .create({ model: "default", messages, ...more } as OpenAI.ChatCompletionCreateParamsNonStreaming)
    .withResponse();
  return { text: textOf(data), taskId: decodeURIComponent(response.headers.get("x-task-id") ?? "") };
};

t.test("an answer comes whole, or in pieces with its usage", async (t) => {
  const whole = await create([user("/say Hello\n/usage 30 4 10")]);
  t.match(whole, {
    object: "chat.completion",
    model: "default",
    choices: [{ finish_reason: "stop", message: { role: "assistant", content: "Hello" } }],
  });
  t.match(whole.usage, { completion_tokens: Number, prompt_tokens: Number, total_tokens: Number });
  const stream = client.chat.completions.stream({
    model: "default",
    messages: [user("/stream 20")],
    stream_options: { include_usage: true },
  });
  const streamed = await stream.finalChatCompletion();
  t.match(streamed.choices[0]?.message.content, /^word0 word1 /);
  t.ok(streamed.usage);
});

t.test("the agents of the catalog are the models", async (t) => {
  const models = await client.models.list();
  t.ok(models.data.some(({ id }) => id === "default"));
  t.match(await client.models.retrieve("default"), { id: "default", object: "model" });
  await t.rejects(client.models.retrieve("gpt-7"), { status: 404, code: "model_not_found", param: "model" });
  t.ok(
    (await failureOf(client.chat.completions.create({ model: "gpt-7", messages: [user("hi")] }))) instanceof
      OpenAI.NotFoundError,
  );
});

t.test("errors are of the classes that the client knows", async (t) => {
  const stranger = new OpenAI({ apiKey: "sk-orch-wrong", baseURL: `${engine.url}/v1`, maxRetries: 0 });
  t.ok((await failureOf(stranger.models.list())) instanceof OpenAI.AuthenticationError);
  t.match(await failureOf(create([user("hi")], { n: 2 })), { status: 400, param: "n" });
  t.match(await failureOf(create([])), { status: 400, param: "messages" });
  t.ok((await failureOf(create([user("/fail rate-limited 3")]))) instanceof OpenAI.RateLimitError);
  t.ok((await failureOf(create([user("/fail provider")]))) instanceof OpenAI.InternalServerError);
  const failing = client.chat.completions.stream({ model: "default", messages: [user("/fail mid-stream")] });
  await t.rejects(failing.done(), { code: "llm_provider_error" });
});

t.test("a client that sends its whole conversation continues one task", async (t) => {
  const first = await taskOf([user("/say one")]);
  const history = [user("/say one"), { role: "assistant", content: first.text } as const];
  const second = await taskOf([...history, user("/say two")]);
  t.equal(second.taskId, first.taskId);
  const { body } = await engine.call(`/tasks/${first.taskId}/messages`);
  t.equal(body.items.length, 4);
  const edited = await taskOf([...history, user("/say three")]);
  t.not(edited.taskId, first.taskId);
  t.match((await engine.call(`/tasks/${edited.taskId}`)).body, { parent: { task_id: first.taskId }, message_count: 4 });
  const again = await taskOf([user("/say one")]);
  t.not(again.taskId, first.taskId, "the same first message begins another conversation");
});

t.test("a question ends the answer, and the next message answers it", async (t) => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    user("/say Let me ask.\n/ask Which one? | this | that\n/say Thank you"),
  ];
  const asked = await taskOf(messages);
  t.equal(asked.text, "Let me ask.\n\nWhich one?\n\n1. this\n2. that");
  messages.push({ role: "assistant", content: asked.text }, user("perhaps"));
  const again = await taskOf(messages);
  t.same(again, { text: "Which one?\n\n1. this\n2. that", taskId: asked.taskId });
  messages.push({ role: "assistant", content: again.text }, user("2"));
  const answered = await taskOf(messages);
  t.same(answered, { text: "Thank you", taskId: asked.taskId });
  messages.push({ role: "assistant", content: answered.text }, user("/say bye"));
  t.same(await taskOf(messages), { text: "bye", taskId: asked.taskId });
});

t.test("tools of the caller run in its process", async (t) => {
  const asked: unknown[] = [];
  const runner = client.chat.completions.runTools({
    model: "default",
    stream: true,
    messages: [user('/tool look {"at": "sky"}\n/tool look {"at": "sea"}\n/tool list_files {}\n/say Seen')],
    tools: [
      {
        type: "function",
        function: {
          name: "look",
          description: "Looks at a thing",
          parameters: { type: "object", properties: { at: { type: "string" } } },
          parse: JSON.parse,
          function: (input: unknown) => {
            asked.push(input);
            return "blue";
          },
        },
      },
    ],
  });
  t.equal(await runner.finalContent(), "Seen");
  t.same(asked, [{ at: "sky" }, { at: "sea" }]);
});

t.test("a schema gives JSON alone, and an effort shows the reasoning", async (t) => {
  const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
  const response_format = { type: "json_schema", json_schema: { name: "answer", schema } };
  const messages: OpenAI.ChatCompletionMessageParam[] = [user('/say Hm\n/tool submit_result {"answer": "4 2"}')];
  const parsed = await taskOf(messages, { response_format });
  t.equal(parsed.text, '{"answer":"4 2"}');
  const next = [...messages, { role: "assistant", content: parsed.text } as const, user("/say and on")];
  t.equal((await taskOf(next)).taskId, parsed.taskId, "the conversation goes on");
  const reasoned = await create([user("/think Why\n/say Because")], { reasoning_effort: "low" });
  t.match(reasoned.choices[0]?.message, { content: "Because", reasoning_content: "Why" });
});

t.test("instructions and messages that no task has are context of the agent", async (t) => {
  const system = { role: "system", content: "Speak German" } as const;
  const foreign = [user("What is tea?"), { role: "assistant", content: "A drink." } as const];
  const told = await create([system, ...foreign, user("/context")]);
  t.match(textOf(told), /instructions[^]*Speak German/);
  t.match(textOf(told), /earlier_messages[^]*What is tea\?[^]*A drink\./);
  const long = { role: "assistant", content: "x".repeat(20_000) } as const;
  t.match(await failureOf(create([user("Say x"), long, user("more")])), { status: 400, param: "messages" });
});
