import t from "tap";
import { parseToolServers } from "../../../src/engine/mcp/server-config.ts";
import { entryContext } from "../../helpers/command-host.ts";

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
  t.same(parseToolServers("{}", entryContext()), { servers: [], errors: [] });
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
