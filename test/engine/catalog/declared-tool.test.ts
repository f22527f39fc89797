import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { EngineLaunch } from "../../../src/contract/engine/launch.ts";
import { declaredTool } from "../../../src/engine/catalog/declared-tool.ts";
import { parseDeclaredTool } from "../../../src/engine/catalog/tool-file.ts";
import type { EngineFacts } from "../../../src/engine/tools/call-facts.ts";
import type { Tool } from "../../../src/engine/tools/tool.ts";
import { toolBench } from "../../helpers/tool-context.ts";
import { catalogBench } from "./catalog-bench.ts";
import { commandHost } from "../../helpers/command-host.ts";
import { factsOf } from "../../helpers/engine-facts.ts";
import { testNetwork } from "../../helpers/tool-network.ts";
import { noIdentity } from "../../helpers/identity.ts";

const object = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

function toolOf(
  t: Test,
  fields: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
  policy: EngineLaunch["tool_network"] = ["127.0.0.1"],
  user: string | EngineFacts = "anna",
  identity = noIdentity,
): Tool {
  const { folder } = catalogBench(t, files);
  const declared = parseDeclaredTool("probe", JSON.stringify({ description: "Probes.", ...fields }));
  if (declared === null) throw new Error("switched off");
  const environment = { PATH: process.env["PATH"], LLM_API_KEY: "sk-upstream" };
  const commands = commandHost(environment, folder, testNetwork(t, { policy }));
  return declaredTool(declared, {
    folder,
    commands,
    engine: typeof user === "string" ? factsOf(user) : user,
    identity,
  });
}

const shown = (parameters: unknown, ...argv: readonly unknown[]) => ({
  parameters,
  command: { argv: ["node", "-e", "console.log(JSON.stringify(process.argv.slice(1)))", ...argv] },
});

t.test("a value fills exactly one argument", async (t) => {
  const bench = toolBench(t);
  const tool = toolOf(t, shown(object("a", "b"), "--", "x", "{{a}}", ["--b", "{{b}}"], "<{{a}}>"));
  t.equal(tool.permission, "ask");
  const evil = `$(touch evil) "; rm -rf / #\n{{b}} *`;
  t.same(await bench.run(tool, { a: evil, b: { c: [1] } }), {
    output: `${JSON.stringify(["x", evil, "--b", '{"c":[1]}', `<${evil}>`])}\n`,
    error: null,
  });
  t.same(
    JSON.parse(String((await bench.run(tool, { a: -5 })).output)),
    ["x", "-5", "<-5>"],
    "what is optional is left out",
  );
  t.match(await bench.run(tool, { b: 1 }), { error: /an argument that the command requires is missing/ });
  t.match(await bench.run(tool, { a: "x\0y" }), { error: /NUL/ });
});

t.test("a value is never parsed as an option", async (t) => {
  const bench = toolBench(t);
  const tool = toolOf(t, shown(object("a"), "--", "--name={{a}}"));
  t.match(await bench.run(tool, { a: "-x" }), { error: null });
  const open = toolOf(t, { parameters: object("a"), command: { argv: ["echo", "{{a}}"] } });
  t.match(await bench.run(open, { a: "--version" }), { error: /a: expected text that does not start with a hyphen/ });
  t.match(await bench.run(open, { a: "fine" }), { output: "fine\n" });
});

t.test("arguments are checked by the tool's own JSON Schema", async (t) => {
  const bench = toolBench(t);
  const parameters = {
    type: "object",
    properties: { city: { type: "string", maxLength: 5 }, days: { $ref: "#/$defs/days" } },
    required: ["city"],
    additionalProperties: false,
    $defs: { days: { type: "integer", minimum: 1 } },
  };
  const tool = toolOf(t, { parameters, command: { argv: ["echo", "{{city}}", ["{{days}}"]] } });
  t.same(tool.input.jsonSchema, parameters);
  for (const wrong of [{}, { city: 1 }, { city: "too long" }, { city: "x", days: 0 }, { city: "x", other: 1 }])
    t.match(await bench.run(tool, wrong), { error: /^invalid arguments: / });
  t.match(await bench.run(tool, { city: "Bern", days: 2 }), { output: "Bern 2\n" });
});

t.test("a command has only its own environment, and its secrets are redacted", async (t) => {
  const bench = toolBench(t);
  const tool = toolOf(
    t,
    {
      secrets: { token: "secrets/token" },
      command: { argv: ["env"], env: { TOKEN: "Bearer {{secret:token}}", PLAIN: "yes" } },
    },
    { "secrets/token": "hush-hush\n" },
  );
  const { output } = await bench.run(tool, {});
  t.match(output, /^TOKEN=Bearer \[secret\]$/m);
  t.match(output, /^PLAIN=yes$/m);
  t.notMatch(output, /sk-upstream|hush/);
  t.throws(() => toolOf(t, { secrets: { token: "x" }, command: { argv: ["echo", "{{secret:token}}"] } }), {
    message: /a secret is allowed in env only/,
  });
});

t.test("a failed command reports its exit, and a hanging one is ended with its children", async (t) => {
  const bench = toolBench(t);
  const failing = toolOf(t, { command: { argv: ["node", "-e", "console.error('no luck'); process.exit(3)"] } });
  t.match(await bench.run(failing, {}), { error: /exit code 3: no luck/ });
  t.match(await bench.run(toolOf(t, { command: { argv: ["no-such-program-here"] } }), {}), { error: /exit code 127/ });
  const slow = toolOf(t, { command: { argv: ["sleep", "100"] }, timeout_s: 1 });
  t.match(await bench.run(slow, {}), { error: /^TIMEOUT: the call took longer than 1 s/ });
});

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function startServer(t: Test): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    if (url === "/moved") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    else if (url === "/broken") response.writeHead(500).end(`no: ${headers.authorization}`);
    else if (url === "/large") response.end(Buffer.alloc(2 * 1024 * 1024));
    else if (url === "/silent") response.flushHeaders();
    else response.end(JSON.stringify({ you: headers.authorization ?? "nobody" }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

t.test("arguments cannot change the host or path of an HTTP tool", async (t) => {
  const bench = toolBench(t);
  const { url, seen } = await startServer(t);
  const tool = toolOf(t, {
    parameters: object("city", "unit", "day"),
    http: { url: `${url}/v1/{{city}}/now?fixed=1&unit={{unit}}`, query: { day: "{{day}}" } },
  });
  t.equal(tool.readOnly, true);
  t.match(await bench.run(tool, { city: "../x?y#z é", unit: "a&b=c" }), { output: '{"you":"nobody"}', error: null });
  t.match(seen.at(-1), { method: "GET", url: "/v1/..%2Fx%3Fy%23z%20%C3%A9/now?fixed=1&unit=a%26b%3Dc", body: "" });
  await bench.run(tool, { city: "x", unit: "u", day: "1&2" });
  t.match(seen.at(-1)?.url, "/v1/x/now?fixed=1&unit=u&day=1%262");
  const before = seen.length;
  for (const city of ["..", ".", ""])
    t.match(await bench.run(tool, { city, unit: "u" }), { error: /not a valid path segment/ });
  t.match(await bench.run(tool, { city: "x" }), { error: /an argument that the URL requires is missing/ });
  t.equal(seen.length, before, "nothing was called");
});

t.test("an HTTP tool sends JSON, redacts its secret and follows no redirect", async (t) => {
  const bench = toolBench(t);
  const { url, seen } = await startServer(t);
  const files = { "secrets/key": "k-12345" };
  const common = { secrets: { key: "secrets/key" }, parameters: object("text", "tags", "more", "path") };
  const headers = { Authorization: "Bearer {{secret:key}}" };
  const body = {
    text: "{{text}}",
    note: "<{{text}}>",
    tags: "{{tags}}",
    more: "{{more}}",
    deep: [{ fixed: 1 }, "{{more}}"],
  };
  const post = toolOf(t, { ...common, http: { method: "POST", url: `${url}/notes`, headers, body } }, files);
  t.equal(post.readOnly, false);
  t.match(await bench.run(post, { text: 'a "b"', tags: ["x", 2] }), { output: '{"you":"Bearer [secret]"}' });
  t.match(seen.at(-1), {
    method: "POST",
    headers: { authorization: "Bearer k-12345", "content-type": "application/json" },
  });
  t.same(JSON.parse(seen.at(-1)?.body ?? ""), { text: 'a "b"', note: '<a "b">', tags: ["x", 2], deep: [{ fixed: 1 }] });
  const get = toolOf(
    t,
    { ...common, http: { url: `${url}/{{path}}`, headers: { ...headers, "X-Text": "{{text}}" } } },
    files,
  );
  t.match(await bench.run(get, { path: "moved" }), { error: /redirects \(302\) to http:\/\/169/ });
  t.match(await bench.run(get, { path: "broken" }), { error: "HTTP 500: no: Bearer [secret]" });
  t.match(await bench.run(get, { path: "large" }), { error: /larger than 1048576 bytes/ });
  t.match(await bench.run(get, { path: "x", text: "a\r\nX-Evil: 1" }), { error: /not valid in the header/ });
  const silent = toolOf(t, { http: { url: `${url}/silent` }, timeout_s: 1 });
  t.match(await bench.run(silent, {}), { error: /^TIMEOUT/ });
  const gone = toolOf(t, { http: { url: "http://127.0.0.1:1/" } });
  t.match(await bench.run(gone, {}), { error: /the call failed: / });
});

t.test("an unreadable secret fails the call before it is sent", async (t) => {
  const bench = toolBench(t);
  const { url, seen } = await startServer(t);
  const tool = toolOf(t, { secrets: { key: "../../outside" }, http: { url, headers: { "X-Key": "{{secret:key}}" } } });
  t.match(await bench.run(tool, {}), { error: /the tool's secret key cannot be read/ });
  t.equal(seen.length, 0);
});

t.test("a tool file must fix its program or host", async (t) => {
  const urls = [
    "http://{{host}}/",
    "http://user:pw@x/",
    "file:///etc/passwd",
    "http://x{{a}}/",
    "//x/",
    "http://",
    "x",
  ];
  for (const url of urls)
    t.throws(() => toolOf(t, { parameters: object("host", "a"), http: { url } }), { message: /http\.url/ }, url);
  const http = { url: "http://x/{{secret:key}}" };
  t.throws(() => toolOf(t, { secrets: { key: "k" }, http }), {
    message: /a secret is allowed in query, headers and body only/,
  });
});

t.test(
  "an HTTP tool reaches only hosts of the policy, and a private address only if the policy lists it",
  async (t) => {
    const bench = toolBench(t);
    const server = createServer((_request, response) => response.end("inside")).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const call = (policy: EngineLaunch["tool_network"], host = "127.0.0.1") =>
      bench.run(toolOf(t, { http: { url: `http://${host}:${port}/` } }, {}, policy), {});
    t.match(await call(["127.0.0.1"]), { output: "inside" });
    t.match(await call([`127.0.0.0/8`, "localhost", "::1"], "localhost"), { output: "inside" });
    t.match(await call([`127.0.0.1:${port}`]), { output: "inside" });
    t.match(await call("open"), { error: /refused: it is not on the public internet/ });
    t.match(await call(["localhost"], "localhost"), { error: /refused: it is not on the public internet/ });
    t.match(await call(["127.0.0.1:1"]), { error: /tool_network does not list it/ });
    t.match(await call("none"), { error: /tool_network is "none"/ });
  },
);

t.test("{{user_id}} is the engine's user, escaped for its place, whatever the model gives", async (t) => {
  const bench = toolBench(t);
  const user = "a/../b c?d&e=\u00fc\r\nX-Evil: 1 $(touch evil)";
  const seen: { url: string | undefined; body: string }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      seen.push({ url: request.url, body });
      response.end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const http = {
    method: "POST",
    url: `http://127.0.0.1:${port}/users/{{user_id}}/x?of={{user_id}}`,
    query: { who: "{{user_id}}" },
    body: { user: "{{user_id}}", words: "of {{user_id}}" },
  };
  const tool = toolOf(t, { http, parameters: object("a") }, {}, ["127.0.0.1"], user);
  t.match(await bench.run(tool, { a: 1, user_id: "bob" }), { error: null });
  const { pathname, searchParams } = new URL(seen[0]?.url ?? "", "http://host");
  t.equal(pathname, `/users/${encodeURIComponent(user)}/x`);
  t.same([searchParams.get("of"), searchParams.get("who")], [user, user]);
  t.same(JSON.parse(seen[0]?.body ?? ""), { user, words: `of ${user}` });
  const inHeader = toolOf(t, { http: { ...http, headers: { "x-user": "{{user_id}}" } } }, {}, ["127.0.0.1"], user);
  t.match(await bench.run(inHeader, {}), { error: /not valid in the header x-user/ });
  for (const dots of ["..", "."])
    for (const path of ["{{user_id}}", "%2e{{user_id}}"]) {
      const away = toolOf(t, { http: { url: `http://127.0.0.1:${port}/users/${path}` } }, {}, ["127.0.0.1"], dots);
      if (path !== "%2e{{user_id}}" || dots === ".")
        t.match(await bench.run(away, {}), { error: /not a valid path segment/ }, `${path} of ${dots}`);
    }
  t.equal(seen.length, 1);
  const command = toolOf(t, shown(object("a"), "--", "{{user_id}}"), {}, "none", user);
  t.same(await bench.run(command, { user_id: "bob" }), { output: `${JSON.stringify([user])}\n`, error: null });
  t.match(await bench.run(toolOf(t, shown(object(), "{{user_id}}"), {}, "none", "-x"), {}), { error: /hyphen/ });
});

const METADATA = {
  tier: "gold",
  seats: 3,
  trial: false,
  tags: ["a"],
  name: "Ann\r\nX-Evil: 1",
  path: "../admin?x=1#y",
};

t.test("a tool knows its user, its engine, the task, the turn and the agent, always as text", async (t) => {
  const bench = toolBench(t);
  const { url, seen } = await startServer(t);
  const http = {
    method: "POST",
    url: `${url}/{{user.path}}/{{engine_id}}?tier={{user.tier}}`,
    headers: { "x-tier": "{{user.tier}}", "x-none": "{{user.nothing}}", "x-call": "{{task_id}} {{turn_id}} {{agent}}" },
    body: {
      seats: "{{user.seats}}",
      trial: "{{user.trial}}",
      tags: "{{user.tags}}",
      of: "{{user_id}} at {{user.tier}}",
    },
  };
  const tool = toolOf(t, { http }, {}, ["127.0.0.1"], factsOf("anna", METADATA));
  const call = { taskId: "t1", turnId: "turn_9", agent: "coder" };
  t.match(await bench.run(tool, {}, call), { error: null });
  t.equal(seen[0]?.url, `/${encodeURIComponent(METADATA.path)}/eng_1?tier=gold`);
  t.match(seen[0]?.headers, { "x-tier": "gold", "x-none": undefined, "x-call": "t1 turn_9 coder" });
  t.same(JSON.parse(seen[0]?.body ?? ""), { seats: "3", trial: "false", of: "anna at gold" });
  const inHeader = toolOf(
    t,
    { http: { url, headers: { "x-name": "{{user.name}}" } } },
    {},
    ["127.0.0.1"],
    factsOf("anna", METADATA),
  );
  t.match(await bench.run(inHeader, {}), { error: /not valid in the header x-name: expected one line/ });
  const inUrl = toolOf(t, { http: { url: `${url}/{{user.nothing}}` } }, {}, ["127.0.0.1"]);
  t.match(await bench.run(inUrl, {}), { error: /requires is missing/ });
  const command = toolOf(t, shown(object(), "--", "{{user.tier}}", ["--seats", "{{user.nothing}}"]), {}, "none", {
    ...factsOf("anna", METADATA),
  });
  t.match(await bench.run(command, {}), { output: '["gold"]\n' });
});

t.test("no argument of a model stands for the user or the call, also where the user has no such key", async (t) => {
  const bench = toolBench(t);
  const { url, seen } = await startServer(t);
  const names = ["user_id", "engine_id", "task_id", "turn_id", "agent", "user.tier", "user.role"];
  const body = Object.fromEntries(names.map((name) => [name, `{{${name}}}`]));
  const http = { method: "POST", url: `${url}/x`, headers: { "x-role": "{{user.role}}" }, body };
  // A schema that permits every argument.
  const tool = toolOf(t, { http, parameters: object("a") }, {}, ["127.0.0.1"], factsOf("anna", { tier: "free" }));
  const forged = Object.fromEntries(names.map((name) => [name, "admin"]));
  t.match(await bench.run(tool, { a: 1, ...forged, __proto__: { "user.role": "admin" } }), { error: null });
  const known = { user_id: "anna", engine_id: "eng_1", task_id: "task", turn_id: "turn", agent: "default" };
  t.same(JSON.parse(seen[0]?.body ?? ""), { ...known, "user.tier": "free" });
  t.equal(seen[0]?.headers["x-role"], undefined);
  for (const key of ["constructor", "__proto__", "toString"]) {
    const inherited = toolOf(t, { http: { ...http, body: { it: `{{user.${key}}}` } } }, {}, ["127.0.0.1"]);
    await bench.run(inherited, {});
    t.same(JSON.parse(seen.at(-1)?.body ?? ""), {}, key);
  }
});

t.test("what is no name, and a parameter of such a name, are refused with the line", (t) => {
  for (const [fields, words] of [
    [
      { http: { url: "https://a.example/{{user.}}" } },
      /unknown placeholder \{\{user\.\}\}: expected user_id, engine_id/,
    ],
    [{ http: { url: "https://a.example/{{user.a.b}}" } }, /unknown placeholder/],
    [{ http: { url: "https://{{user_id}}.example/" } }, /http\.url: expected http/],
    [{ http: { url: "https://a.example:{{user.port}}/" } }, /http\.url: expected http/],
    [
      { http: { url: "https://a.example/{{agent}}" }, parameters: object("agent") },
      /\{\{agent\}\} is what the engine knows: expected another name for the parameter/,
    ],
    [
      { http: { url: "https://a.example/{{user.tier}}" }, parameters: object("user.tier") },
      /\{\{user\.tier\}\} is what the engine knows/,
    ],
  ] as const)
    t.throws(() => toolOf(t, fields), { message: words });
  t.end();
});
