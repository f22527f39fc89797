import type { Remote } from "../wire-formats.ts";
import { type Json, Problems, checkSchema, isObject } from "./strict-checks.ts";

/** What each provider refuses with 400, by its documentation and the errors it is known for. */
const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;
const MESSAGES_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export function problemsIn(remote: Remote, body: Json): readonly string[] {
  const problems = new Problems();
  problems.wellFormed(body, remote);
  VALIDATORS[remote](problems, body);
  return problems.found;
}

const VALIDATORS: Readonly<Record<Remote, (problems: Problems, body: Json) => void>> = {
  anthropic,
  openai,
  google,
  bedrock,
  "openai-compatible": compatible,
};

/** Blocks of calls and results, where results stand in the message of the user behind the calls. */
interface Blocks {
  readonly call: (block: Json) => { id: Json; name: Json; input: Json } | undefined;
  readonly result: (block: Json) => Json;
}

/** What Anthropic and Bedrock share: roles in turn, and pairs. */
function turns(problems: Problems, messages: Json, { call, result }: Blocks): void {
  problems.check(Array.isArray(messages) && messages.length > 0, "no messages");
  problems.check(messages[0]?.role === "user" && messages.at(-1)?.role === "user", "not the user at both ends");
  const ids: Json[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const where = `messages.${index}`;
    problems.check(role === (index % 2 === 0 ? "user" : "assistant"), `${where}: role ${role} out of turn`);
    problems.check(Array.isArray(content) && content.length > 0, `${where}: no content`);
    const calls = content.flatMap((block: Json) => call(block) ?? []);
    for (const { id, name, input } of calls) {
      problems.matches(id, MESSAGES_ID, `${where} id`);
      problems.matches(name, TOOL_NAME, `${where} name`);
      problems.object(input, `${where} input`);
      ids.push(id);
    }
    if (role === "assistant") {
      const answered = messages[index + 1]?.content.flatMap((block: Json) => result(block) ?? []) ?? [];
      problems.check(
        JSON.stringify(calls.map(({ id }: Json) => id)) === JSON.stringify(answered),
        `${where}: calls and results differ`,
      );
    } else {
      const isResult = content.map((block: Json) => result(block) !== undefined);
      problems.check(
        !isResult.includes(true, isResult.indexOf(false)) || !isResult.includes(false),
        `${where}: text before results`,
      );
      if (index === 0) problems.check(!isResult.includes(true), "results without calls");
      problems.check(calls.length === 0, `${where}: calls of the user`);
    }
  }
  problems.unique(ids, "ids of calls");
}

function anthropic(problems: Problems, body: Json): void {
  const { messages, tools = [], system = [], thinking, max_tokens: most } = body;
  turns(problems, messages, {
    call: (block) => (block.type === "tool_use" ? block : undefined),
    result: (block) => (block.type === "tool_result" ? block.tool_use_id : undefined),
  });
  for (const block of system) problems.text(block.text, "system");
  for (const [index, { role, content }] of messages.entries()) {
    for (const block of content) {
      const where = `messages.${index} ${block.type}`;
      if (block.type === "text") problems.text(block.text, where);
      else if (block.type === "tool_result") problems.text(block.content, where);
      else if (block.type === "thinking") problems.matches(block.signature, /^./s, where);
      else if (block.type === "redacted_thinking") problems.matches(block.data, /^./s, where);
      else problems.check(block.type === "tool_use", where);
      if (/thinking/.test(block.type)) problems.check(role === "assistant" && !block.cache_control, where);
    }
    if (role === "assistant")
      problems.check(!/thinking/.test(content.at(-1)?.type), `messages.${index}: ends in thinking`);
  }
  if (thinking?.type === "enabled") {
    problems.check(thinking.budget_tokens >= 1024 && thinking.budget_tokens < most, "budget of thinking");
    const asked = messages.findLastIndex(
      ({ role, content }: Json) => role === "user" && content.at(-1).type === "text",
    );
    if (asked < messages.length - 1)
      problems.check(
        /thinking/.test(messages[asked + 1].content[0].type),
        "thinking: the last answer began without it",
      );
  }
  const hasCalls = JSON.stringify(messages).includes('"type":"tool_use"');
  problems.check(!hasCalls || tools.length > 0, "calls without tools");
  problems.check(JSON.stringify(body).split('"cache_control"').length <= 5, "more than 4 cache breakpoints");
  problems.unique(
    tools.map(({ name }: Json) => name),
    "names of tools",
  );
  for (const { name, description, input_schema: schema } of tools) {
    problems.text(description, `description of ${name}`);
    problems.matches(name, TOOL_NAME, "tool name");
    checkSchema(problems, schema, name, { argumentName: ARGUMENT });
  }
}

function bedrock(problems: Problems, body: Json): void {
  const { messages, toolConfig, system = [] } = body;
  turns(problems, messages, {
    call: ({ toolUse }) => toolUse && { id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input },
    result: ({ toolResult }) => toolResult?.toolUseId,
  });
  for (const block of system) if (!block.cachePoint) problems.text(block.text, "system");
  for (const [index, { content }] of messages.entries()) {
    for (const block of content) {
      const where = `messages.${index} ${Object.keys(block).join()}`;
      problems.check(Object.keys(block).length === 1, where);
      if ("text" in block) problems.text(block.text, where);
      else if ("toolResult" in block) {
        problems.check(block.toolResult.content?.length > 0, where);
        for (const part of block.toolResult.content ?? []) if ("text" in part) problems.text(part.text, where);
      } else if ("reasoningContent" in block) {
        const { reasoningText, redactedContent, redactedReasoning } = block.reasoningContent;
        problems.matches(reasoningText?.signature ?? redactedContent ?? redactedReasoning?.data, /^./s, where);
      } else problems.check("toolUse" in block || "cachePoint" in block, where);
    }
    const last = content.findLast((block: Json) => !("cachePoint" in block));
    problems.check(!("reasoningContent" in last), `messages.${index}: ends in reasoning`);
  }
  problems.check(
    !/"toolUse"|"toolResult"/.test(JSON.stringify(messages)) || toolConfig?.tools?.length > 0,
    "no toolConfig",
  );
  problems.check(JSON.stringify(body).split('"cachePoint"').length <= 5, "more than 4 cache points");
  const budget = body.additionalModelRequestFields?.thinking?.budget_tokens;
  if (budget !== undefined) {
    const endsInText = ({ content }: Json) => "text" in content.findLast((block: Json) => !("cachePoint" in block));
    const asked = messages.findLastIndex((one: Json) => one.role === "user" && endsInText(one));
    if (asked < messages.length - 1)
      problems.check(
        "reasoningContent" in messages[asked + 1].content[0],
        "thinking: the last answer began without it",
      );
  }
  for (const { toolSpec, cachePoint } of toolConfig?.tools ?? []) {
    if (cachePoint) continue;
    problems.matches(toolSpec.name, TOOL_NAME, "tool name");
    if ("description" in toolSpec) problems.text(toolSpec.description, "description");
    checkSchema(problems, toolSpec.inputSchema.json, toolSpec.name, { argumentName: ARGUMENT });
  }
}

function functionTools(problems: Problems, tools: Json): void {
  problems.check(tools.length <= 128, "more than 128 tools");
  problems.unique(
    tools.map(({ name }: Json) => name),
    "names of tools",
  );
  for (const { name, description, parameters } of tools) {
    problems.text(description, `description of ${name}`);
    problems.matches(name, TOOL_NAME, "tool name");
    checkSchema(problems, parameters, name, { argumentName: ARGUMENT });
  }
}

function openai(problems: Problems, body: Json): void {
  const { input, tools = [] } = body;
  problems.check(Array.isArray(input) && input.length > 0, "no input");
  functionTools(problems, tools);
  const calls: Json[] = [];
  const outputs: Json[] = [];
  const reasoning: Json[] = [];
  for (const [index, item] of input.entries()) {
    const where = `input.${index} ${item.type ?? item.role}`;
    if (item.type === "function_call") {
      problems.matches(item.call_id, /^[a-zA-Z0-9_-]{1,64}$/, where);
      problems.matches(item.name, TOOL_NAME, where);
      problems.object(JSON.parse(item.arguments), where);
      calls.push(item.call_id);
    } else if (item.type === "function_call_output") {
      problems.text(item.output, where);
      problems.check(calls.includes(item.call_id), `${where}: before its call`);
      outputs.push(item.call_id);
    } else if (item.type === "reasoning") {
      problems.matches(item.encrypted_content, /^./s, where);
      if ("id" in item) problems.matches(item.id, /^.{1,64}$/s, where);
      if ("id" in item) reasoning.push(item.id);
      const next = input.slice(index + 1).find(({ type }: Json) => type !== "reasoning");
      problems.check(next?.type === "function_call" || next?.role === "assistant", `${where}: nothing follows it`);
    } else {
      problems.check(["user", "assistant", "system", "developer"].includes(item.role), where);
      for (const part of Array.isArray(item.content) ? item.content : [{ text: item.content }])
        problems.text(part.text, where);
    }
  }
  problems.check(calls.length === outputs.length, "calls and outputs differ");
  problems.unique(calls, "ids of calls");
  problems.unique(outputs, "ids of outputs");
  problems.unique(reasoning, "ids of reasoning");
  problems.check(input.at(-1)?.role === "user" || input.at(-1)?.type === "function_call_output", "nothing to answer");
}

function compatible(problems: Problems, { messages, tools = [], model }: Json): void {
  const isMistral = /mistral/.test(model);
  const spoken = messages.filter(({ role }: Json) => role !== "system");
  problems.check(spoken.length > 0 && spoken[0].role === "user", "does not begin with the user");
  problems.check(["user", "tool"].includes(spoken.at(-1)?.role), "nothing to answer");
  functionTools(
    problems,
    tools.map((tool: Json) => tool.function),
  );
  const ids: Json[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `messages.${index} ${message.role}`;
    const before = messages[index - 1];
    if (message.role === "system") problems.check(index === 0, where);
    else if (message.role !== "tool") problems.check(message.role !== before?.role, `${where}: twice in a row`);
    if (message.role === "user" && isMistral) problems.check(before?.role !== "tool", `${where}: behind a result`);
    if (message.role === "user" || message.role === "system")
      for (const part of Array.isArray(message.content) ? message.content : [{ text: message.content }])
        problems.text(part.text, where);
    if (message.role === "tool") problems.text(message.content, where);
    if (message.role !== "assistant") continue;
    const { content, tool_calls: calls, reasoning_content: thought } = message;
    problems.onlyKeys(message, ["role", "content", "tool_calls", "reasoning_content"], where);
    if (calls === undefined) problems.text(content, where);
    else problems.check(calls.length > 0 && calls.length <= 128, `${where}: ${calls.length} calls`);
    if (/deepseek/.test(model)) problems.check(typeof thought === "string", `${where}: reasoning_content is missing`);
    for (const call of calls ?? []) {
      problems.onlyKeys(call, ["id", "type", "function"], where);
      problems.matches(call.id, isMistral ? /^[a-zA-Z0-9]{9}$/ : /^[\x21-\x7e]{1,40}$/, where);
      problems.matches(call.function.name, TOOL_NAME, where);
      problems.object(JSON.parse(call.function.arguments), where);
      ids.push(call.id);
    }
    const behind = messages.slice(index + 1);
    const end = behind.findIndex(({ role }: Json) => role !== "tool");
    const results = behind.slice(0, end === -1 ? behind.length : end).map((one: Json) => one.tool_call_id);
    problems.check(
      JSON.stringify(results) === JSON.stringify((calls ?? []).map(({ id }: Json) => id)),
      `${where}: calls and results differ`,
    );
  }
  problems.unique(ids, "ids of calls");
}

const GEMINI_KEYWORDS = [
  "type",
  "format",
  "title",
  "description",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
];
const GEMINI_MORE = ["minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"];

function google(problems: Problems, body: Json): void {
  const { contents, tools = [], systemInstruction } = body;
  problems.check(Array.isArray(contents) && contents.length > 0, "no contents");
  for (const { text } of systemInstruction?.parts ?? []) problems.text(text, "system");
  let called: Json[] = [];
  for (const [index, { role, parts }] of contents.entries()) {
    const where = `contents.${index} ${role}`;
    problems.check(["user", "model"].includes(role) && Array.isArray(parts) && parts.length > 0, where);
    const answers = parts.filter((part: Json) => "functionResponse" in part).map((part: Json) => part.functionResponse);
    problems.check(answers.length === 0 || answers.length === parts.length, `${where}: more than responses`);
    const shape = (one: Json) => JSON.stringify([one.id, one.name]);
    problems.check(called.map(shape).join() === answers.map(shape).join(), `${where}: calls and responses differ`);
    const before = contents[index - 1];
    const isAnswer = before?.parts.some((part: Json) => "functionResponse" in part);
    problems.check(role !== before?.role || isAnswer, `${where}: twice in a row`);
    for (const { response, name } of answers) {
      problems.object(response, where);
      problems.matches(name, TOOL_NAME, where);
    }
    called = parts.filter((part: Json) => "functionCall" in part).map((part: Json) => part.functionCall);
    for (const { name, args } of called) {
      problems.matches(name, TOOL_NAME, where);
      problems.object(args, where);
    }
    for (const part of parts) {
      if ("thoughtSignature" in part) problems.matches(part.thoughtSignature, /^[A-Za-z0-9+/_-]+={0,2}$/, where);
      if ("text" in part && !part.thoughtSignature) problems.text(part.text, where);
    }
    if (role === "model") {
      problems.check(
        parts.some((part: Json) => !part.thought),
        `${where}: only thoughts`,
      );
      const first = parts.find((part: Json) => "functionCall" in part);
      if (first && /gemini-3/.test(body.model ?? ""))
        problems.check(first.thoughtSignature, `${where}: call without signature`);
    }
  }
  problems.check(contents[0]?.role === "user" && called.length === 0, "not the user at both ends");
  problems.check(contents.at(-1)?.role === "user", "nothing to answer");
  const declared = tools.flatMap((tool: Json) => tool.functionDeclarations ?? []);
  problems.check(declared.length <= 512, "more than 512 functions");
  problems.unique(
    declared.map(({ name }: Json) => name),
    "names of functions",
  );
  for (const { name, parametersJsonSchema: schema } of declared) {
    problems.matches(name, TOOL_NAME, "name of a function");
    checkSchema(problems, schema, name, {
      argumentName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
      keywords: [...GEMINI_KEYWORDS, ...GEMINI_MORE],
    });
    problems.check(isObject(schema), name);
  }
}
