import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import t from "tap";
import { startEngine } from "../../helpers/engine.ts";

type Input = NonNullable<ResponseCreateParamsNonStreaming["input"]>;
type More = Omit<ResponseCreateParamsNonStreaming, "input" | "stream">;

const engine = await startEngine(t);
const client = new OpenAI({ apiKey: engine.key, baseURL: `${engine.url}/v1`, maxRetries: 0 });
const create = (input: Input, more: More = {}) => client.responses.create({ model: "default", input, ...more });
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const types = ({ output }: Pick<Response, "output">) => output.map(({ type }) => type);
const streamOf = async (input: Input, more: More = {}) => {
  const stream = client.responses.stream({ model: "default", input, ...more });
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, final: await stream.finalResponse() };
};
const LOOK = {
  type: "function",
  name: "look",
  description: "Looks at a thing",
  parameters: { type: "object", properties: { at: { type: "string" } } },
  strict: false,
} as const;

t.test("a response has text, reasoning, calls of the agent's tools and usage", async (t) => {
  const script = "/think Hm\n/say Hello\n/tool list_files {}\n/say There";
  const response = await create(script, { reasoning: { effort: "low", summary: "auto" }, metadata: { topic: "x" } });
  t.match(response, { status: "completed", model: "default", error: null, metadata: { topic: "x" } });
  t.same(types(response), ["reasoning", "message", "mcp_call", "message"]);
  t.match(response.output[2], { name: "list_files", status: "completed", error: null, output: /entries/ });
  t.equal(response.output_text, "HelloThere");
  t.ok(response.usage && response.usage.total_tokens > 0);
  t.same(await client.responses.retrieve(response.id), response);
  const input = await client.responses.inputItems.list(response.id);
  t.match(input.data, [{ type: "message", role: "user", content: [{ type: "input_text", text: script }] }]);
});

t.test("a stream has the events of each item in order, and rising numbers", async (t) => {
  const { events, final } = await streamOf("/say Hi\n/tool list_files {}");
  t.same(
    events.map(({ type }) => type),
    [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done",
      "response.completed",
    ],
  );
  const numbers = events.map((event) => event.sequence_number);
  t.same(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  t.match(final.output, (await client.responses.retrieve(final.id)).output);
  const rest: ResponseStreamEvent[] = [];
  const resumed = await client.responses.retrieve(final.id, { stream: true, starting_after: numbers[5] ?? 0 });
  for await (const event of resumed) rest.push(event);
  t.same(rest, events.slice(6), "a client that comes back reads the rest, with the same numbers");
});

t.test("a response goes on with the task of the previous one, or with a fork of it", async (t) => {
  const first = await create("/say one");
  const second = await create("/say two", { previous_response_id: first.id });
  t.same(second.conversation, first.conversation);
  t.equal(second.previous_response_id, first.id);
  const other = await create("/say three", { previous_response_id: first.id });
  t.match((await engine.call(`/tasks/${other.conversation?.id}`)).body, {
    parent: { task_id: first.conversation?.id },
    message_count: 4,
  });
  const named = await create("/say four", { conversation: first.conversation?.id ?? "" });
  t.same(named.conversation, first.conversation);
  t.match(await failureOf(create("x", { previous_response_id: "resp_1" })), {
    status: 404,
    param: "previous_response_id",
  });
});

t.test("function calls of the caller end a response, and their outputs go on with the turn", async (t) => {
  const first = await streamOf(
    '/say Wait\n/tool look {"at": "sky"}\n/tool look {"at": "sea"}\n/tool list_files {}\n/say Seen',
    {
      tools: [LOOK],
    },
  );
  const calls = first.final.output.filter((item) => item.type === "function_call");
  t.same(
    calls.map((call) => [call.name, call.arguments]),
    [
      ["look", '{"at":"sky"}'],
      ["look", '{"at":"sea"}'],
    ],
  );
  const outputs = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "blue" }) as const);
  const next = { previous_response_id: first.final.id, tools: [LOOK] };
  t.match(await failureOf(create(outputs.slice(1), next)), { status: 400, message: /no output for the tool call/ });
  const second = await create(outputs, next);
  t.equal(second.output_text, "Seen");
  t.not(second.id, first.final.id);
  t.same(await create(outputs, next), second, "the same outputs again get the same response");
  t.same((await client.responses.retrieve(second.id)).output, second.output);
});

t.test("a permission prompt is an approval request, and a question is text", async (t) => {
  const asked = await create(
    '/tool write_file {"path": "a.txt", "content": "x"}\n/ask Which? | this | that\n/say Done',
  );
  t.same(types(asked), ["message", "mcp_approval_request"]);
  const [, request] = asked.output;
  const approve = [{ type: "mcp_approval_response", approval_request_id: request?.id ?? "", approve: true }] as const;
  const question = await create([...approve], { previous_response_id: asked.id });
  t.match(question.output, [{ type: "mcp_call", name: "write_file", status: "completed" }, { type: "message" }]);
  t.match(question.output_text, /^Which\?\n\n1\. this/);
  t.match(await failureOf(create("neither", { previous_response_id: question.id })), { status: 400, param: "input" });
  const answered = await create("that", { previous_response_id: question.id });
  t.equal(answered.output_text, "Done");
});

t.test("a response in the background is read, cancelled and deleted by its id", async (t) => {
  const started = await create("/stream 20 100\n/fail silent", { background: true });
  t.match(started, { status: "in_progress", background: true });
  const events: string[] = [];
  for await (const event of await client.responses.retrieve(started.id, { stream: true })) {
    events.push(event.type);
    if (event.type !== "response.output_text.done") continue;
    t.match(await client.responses.cancel(started.id), { status: "cancelled" });
  }
  t.equal(events.at(-1), "response.incomplete");
  t.match(await client.responses.retrieve(started.id), { status: "cancelled", output: [{ type: "message" }] });
  await client.responses.delete(started.id);
  t.match(await failureOf(client.responses.retrieve(started.id)), { status: 404 });
});

t.test("a schema gives JSON alone", async (t) => {
  const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
  const format = { type: "json_schema", name: "answer", schema } as const;
  const response = await create('/say Thinking\n/tool submit_result {"answer": "42"}', { text: { format } });
  t.equal(response.output_text, '{"answer":"42"}');
  t.match(response.text, { format: { type: "json_schema" } });
});

t.test("what an engine has no counterpart of is refused by its name", async (t) => {
  t.match(await failureOf(create("x", { tools: [{ type: "web_search" }] })), { status: 400, param: "tools.0.type" });
  t.match(await failureOf(create("x", { model: "gpt-7" })), { status: 404, code: "model_not_found" });
  t.match(await failureOf(create([])), { status: 400, param: "input" });
  const picture = [{ type: "input_image", image_url: "https://example.com/a.png", detail: "auto" } as const];
  t.match(await failureOf(create([{ role: "user", content: picture }])), {
    status: 400,
    param: "input.0.content.0.image_url",
  });
});

t.test("a turn that fails is a failed response of its stream", async (t) => {
  const { final } = await streamOf("/fail mid-stream");
  t.match(final, { status: "failed", error: { code: "server_error", message: /^LLM_PROVIDER_ERROR: / } });
  t.match(await failureOf(create("/fail rate-limited 2")), { status: 429, code: "rate_limit_exceeded" });
});
