import t from "tap";
import { parseToolServers } from "../../../src/engine/mcp/server-config.ts";
import { engineFolders } from "../../../src/engine/isolation/file-rules.ts";
import { entryContext } from "../../helpers/command-host.ts";
import { factsOf } from "../../helpers/engine-facts.ts";

const FOLDERS = engineFolders("/data/eng_1");
const read = (mcpServers: unknown, variables = {}) =>
  parseToolServers(JSON.stringify({ mcpServers }), entryContext(variables));
const problems = (mcpServers: unknown) => read(mcpServers).errors.map(({ message }) => message);

t.test("the standard forms are accepted, and unknown fields are ignored", async (t) => {
  const { servers, errors } = read({
    files: { command: "npx", args: ["-y", "server"], autoApprove: ["x"], gallery: true },
    remote: { type: "streamable-http", url: "https://example.com/mcp", headers: { "X-Key": "1" } },
    guessed: { url: "http://localhost:1/mcp" },
    old: { type: "sse", url: "http://localhost:1/sse" },
    off: { command: "x", disabled: true },
  });
  t.same(errors, []);
  t.match(servers, [
    { name: "files", transport: "stdio", command: "npx", args: ["-y", "server"], env: {}, pin: true },
    { name: "remote", transport: "http", headers: { "X-Key": "1" } },
    { name: "guessed", transport: "http" },
    { name: "old", transport: "sse" },
  ]);
});

t.test("always_load names all tools of a server, or some", async (t) => {
  const { servers } = read({
    all: { command: "x", always_load: true },
    some: { command: "x", always_load: ["read"] },
    none: { command: "x", always_load: false },
  });
  t.match(servers, [{ alwaysLoad: "all" }, { alwaysLoad: ["read"] }, { alwaysLoad: [] }]);
  t.match(problems({ bad: { command: "x", always_load: "read" } }), [/^mcpServers\.bad\.always_load: expected true/]);
});

t.test("each invalid entry is reported by its path, and the valid ones are used", async (t) => {
  const { servers, errors } = read({
    good: { command: "x" },
    nothing: {},
    both: { command: "x", url: "http://localhost" },
    shape: { command: 1, args: "x", permissions: { a: "sometimes" } },
    file: { url: "file:///etc/passwd" },
    "bad\u0000name": { command: "x" },
    header: { url: "http://localhost", headers: { "a b": "1" } },
    split: { url: "http://localhost", headers: { a: "1\r\nb: 2" } },
    signs: { url: "http://localhost", headers: { "X-Name": "Ω geheim" } },
    nul: { command: "x\u0000y" },
    variable: { command: "x", env: { "A=B": "1" } },
    text: "x",
  });
  t.same(
    servers.map(({ name }) => name),
    ["good"],
  );
  const told = errors.map(({ message }) => message);
  for (const place of [
    "nothing.command",
    "both.command",
    "shape.command",
    "shape.args",
    "shape.permissions.a",
    "file.url",
  ])
    t.ok(
      told.some((message) => message.startsWith(`mcpServers.${place}: `)),
      place,
    );
  for (const place of ["header.headers.a b", "split.headers.a", "signs.headers.X-Name", "nul", "variable.env", "text"])
    t.ok(
      told.some((message) => message.startsWith(`mcpServers.${place}: `)),
      place,
    );
  t.ok(told.includes("mcpServers.signs.headers.X-Name: expected a value of ASCII characters on one line"));
  t.ok(errors.every(({ path }) => path === ".mcp.json"));
});

t.test("an invalid file is one error", async (t) => {
  for (const text of ["", "{", "[]", "null", '{"mcpServers":[]}', '{"mcpServers":7}'])
    t.match(parseToolServers(text, entryContext()), { servers: [], errors: [{ name: null, path: ".mcp.json" }] }, text);
  t.same(parseToolServers("{}", entryContext()), { servers: [], errors: [], disabled: [] });
  t.match(parseToolServers('\uFEFF{"mcpServers":{"a":{"command":"x"}}}', entryContext()).servers, [{ name: "a" }]);
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`s${at}`, { command: "x" }]));
  t.match(problems(many), [/at most 50/]);
});

t.test("only the given variables and the entry's env are expanded", async (t) => {
  const entry = {
    command: "${HOME}/run",
    args: ["${TOKEN}", "${MISSING:-fallback}", "$HOME", "${MISSING:-}"],
    env: { TOKEN: "t-${CITY}" },
  };
  t.match(read({ a: entry }, { HOME: "/home", CITY: "bonn" }).servers, [
    { command: "/home/run", args: ["t-bonn", "fallback", "$HOME", ""], env: { TOKEN: "t-bonn" } },
  ]);
  t.same(problems({ a: entry }), [
    "mcpServers.a.env.TOKEN: ${CITY} has no value here",
    "mcpServers.a.command: ${HOME} has no value here",
  ]);
  t.match(problems({ a: { url: "http://x", headers: { h: "${constructor}" } } }), [/constructor. has no value/]);
});

t.test("a sandbox names paths of the workspace, the engine's tmp and cache, and what the operator adds", async (t) => {
  const context = {
    ...entryContext({ SUB: "notes" }, "/data/eng_1"),
    places: { folders: FOLDERS, read: ["/srv/models"] },
  };
  const parse = (sandbox: unknown) =>
    parseToolServers(JSON.stringify({ mcpServers: { one: { command: "x", sandbox } } }), context);
  t.match(
    parse({
      network: ["api.example.com"],
      write: ["${SUB}", "../cache/x", "/data/eng_1/tmp"],
      read: [".", "/srv/models/small"],
    }).servers,
    [
      {
        sandbox: {
          network: ["api.example.com"],
          write: ["/data/eng_1/workspace/notes", "/data/eng_1/cache/x", "/data/eng_1/tmp"],
          read: ["/data/eng_1/workspace", "/srv/models/small"],
        },
      },
    ],
  );
  t.same(
    parse({}).servers.map((server) => "sandbox" in server && server.sandbox),
    [{}],
  );
  t.same(
    parse({ write: [] }).servers.map((server) => "sandbox" in server && server.sandbox),
    [{ write: [] }],
  );
  for (const [sandbox, message] of [
    [{ write: ["../engine.db"] }, /^mcpServers\.one\.sandbox\.write\.0: expected a path in the workspace or/],
    [{ write: ["ok", "/data/eng_1"] }, /^mcpServers\.one\.sandbox\.write\.1: expected a path/],
    [{ read: ["/"] }, /^mcpServers\.one\.sandbox\.read\.0: expected a path.*ORCH_TOOL_READ_PATHS/],
    [{ write: ["/srv/models"] }, /^mcpServers\.one\.sandbox\.write\.0: expected a path/],
    [{ read: ["/data/eng_1/workspaces"] }, /^mcpServers\.one\.sandbox\.read\.0: expected/],
    [{ read: ["a\0b"] }, /^mcpServers\.one\.sandbox\.read\.0: expected no NUL/],
    [{ read: "a" }, /^mcpServers\.one\.sandbox\.read: expected a list of paths/],
    [{ read: [""] }, /^mcpServers\.one\.sandbox\.read\.0: expected a list of paths/],
    [{ write: ["${NOWHERE}"] }, /^mcpServers\.one\.sandbox\.write\.0: .*NOWHERE. has no value/],
    [{ network: "some" }, /^mcpServers\.one\.sandbox\.network: expected "open", "none" or a list of hosts/],
    [
      { network: ["shop.example", "http://b.example/"] },
      /^mcpServers\.one\.sandbox\.network\.1: expected a host, \*\.host/,
    ],
    [{ network: ["10.0.0.0/4"] }, /^mcpServers\.one\.sandbox\.network\.0: expected a prefix from/],
    [{ netwrok: "none" }, /^mcpServers\.one\.sandbox: .*netwrok/],
  ] as const)
    t.match(parse(sandbox), { servers: { length: 0 }, errors: [{ message }] }, JSON.stringify(sandbox));
  const remote = { url: "http://localhost", sandbox: { network: "none" } };
  t.match(problems({ remote }), [/^mcpServers\.remote\.sandbox: expected a local server/]);
});

t.test("headers and env know the user, and headers the call", async (t) => {
  const context = entryContext({}, undefined, factsOf("anna", { tier: "gold" }));
  const { servers, errors } = parseToolServers(
    JSON.stringify({
      mcpServers: {
        far: {
          url: "https://a.example/mcp",
          headers: {
            "X-User": "{{user_id}}/{{user.tier}}",
            "X-None": "{{user.nothing}}",
            "X-Call": "{{agent}}: {{ task_id }} {{turn_id}}",
            "X-Text": "{{.Go}} {not} {{}}",
          },
        },
        near: {
          command: "x",
          args: ["{{.Name}}"],
          env: { WHO: "{{user_id}}", AT: "{{engine_id}}", NO: "{{user.nothing}}" },
        },
      },
    }),
    context,
  );
  t.same(errors, []);
  const [far, near] = servers;
  t.match(far, {
    headers: { "X-User": "anna/gold", "X-Text": "{{.Go}} {not} {{}}" },
    callHeaders: {
      "X-Call": [
        { text: "" },
        { fact: "agent" },
        { text: ": " },
        { fact: "task_id" },
        { text: " " },
        { fact: "turn_id" },
        { text: "" },
      ],
    },
  });
  t.same(Object.keys((far as { headers: object }).headers), ["X-User", "X-Text"], "what the user has not is left out");
  t.same((near as { env: object }).env, { WHO: "anna", AT: "eng_1" });
  t.match(near, { args: ["{{.Name}}"] });
});

t.test("a name in a wrong place is reported with its field, and no value breaks out of its place", async (t) => {
  const url = "https://a.example/mcp";
  t.match(
    problems({
      host: { url: "https://{{user_id}}.example/mcp" },
      arg: { command: "x", args: ["{{user_id}}"] },
      env: { command: "x", env: { TASK: "{{task_id}}" } },
      unknown: { url, headers: { "X-A": "{{user_name}}" } },
      beside: { url, headers: { "X-A": "${secret:KEY} {{agent}}" } },
      nul: { url, headers: { "X-A": "a\u0000agent\u0000" } },
      doubled: { url, headers: { Authorization: "{{agent}}" }, identity: { audience: "https://a.example" } },
    }),
    [
      /^mcpServers\.host\.url: \{\{user_id\}\} is allowed in headers and env only/,
      /^mcpServers\.arg\.args\.0: /,
      /^mcpServers\.env\.env\.TASK: \{\{task_id\}\} differs between calls: it is allowed in headers only/,
      /^mcpServers\.unknown\.headers\.X-A: unknown placeholder \{\{user_name\}\}: expected user_id/,
      /^mcpServers\.beside\.headers\.X-A: expected no secret beside \{\{agent\}\}/,
      /^mcpServers\.nul\.headers\.X-A: expected no NUL character/,
      /^mcpServers\.doubled\.identity: /,
    ],
  );
  const evil = {
    line: "a\r\nX-Evil: 1",
    secret: "${secret:KEY}",
    mark: "a\0agent\0",
    nested: "{{agent}} ${HOME}",
  };
  const of = (key: string) =>
    parseToolServers(
      JSON.stringify({ mcpServers: { far: { url, headers: { "X-A": `{{user.${key}}}` } } } }),
      entryContext({ HOME: "/home" }, undefined, factsOf("anna", evil)),
    );
  t.match(of("line").errors, [{ message: /expected a value of ASCII characters on one line/ }]);
  t.match(of("secret").errors, [{ message: /\{\{user\.secret\}\}: its value names a secret/ }]);
  t.match(of("mark").errors, [{ message: /expected no NUL character/ }]);
  t.match(of("nested").servers, [{ headers: { "X-A": "{{agent}} ${HOME}" }, callHeaders: {} }], "values are text");
});
