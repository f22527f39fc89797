import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { plausibleKey, sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { fault, product, startFakeServer } from "../helpers/fake-server.ts";
import { orchctlFor } from "../helpers/orchctl.ts";

const ADMIN = { ORCH_ADMIN_KEY: "admin-key-of-the-test" };
const registered = { status: 201, body: { ...product(), platform_api_key: null } };
const shownKey = (stdout: string): string => /shown only now:\n {2}(orchp_\w+)\n/.exec(stdout)?.[1] ?? "";

t.test(
  "register makes the key, sends its hash, shows it once, keeps it, and makes the product the current one",
  async (t) => {
    const server = await startFakeServer(t);
    const orchctl = orchctlFor(t, server);
    server.on("POST /products/register", registered);
    const ran = await orchctl(["products", "register", "demo", "--name", "The demo"], { env: ADMIN });
    t.equal(ran.code, 0, ran.stderr);
    const key = shownKey(ran.stdout);
    t.ok(plausibleKey("orchp_", key) && key !== "", key);
    t.match(ran.stderr, /Saved in .*credentials\.json; demo is the current product/);
    t.same(server.calls[0]?.body, {
      slug: "demo",
      name: "The demo",
      api_key_hash: sha256(key),
      key_prefix: key.slice(0, 10),
      key_last4: key.slice(-4),
    });
    t.equal(server.calls[0]?.headers["x-admin-key"], ADMIN.ORCH_ADMIN_KEY);

    server.on("GET /engines", { body: { data: [], next_cursor: null } });
    t.equal((await orchctl(["engines", "list"])).code, 0);
    t.equal(server.calls[1]?.headers["x-platform-key"], key, "the next command needs nothing else");
  },
);

t.test("register with --no-save leaves nothing behind", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/register", registered);
  const ran = await orchctl(["products", "register", "demo", "--no-save"], { env: ADMIN });
  t.not(shownKey(ran.stdout), "");
  t.throws(() => readFileSync(join(orchctl.configDir, "credentials.json")), { code: "ENOENT" });
});

t.test("a policy comes from options, from a file and from standard input; options go before the file", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("PUT /products/demo/policy", { body: product() });
  const file = join(t.testdir({ "policy.json": '{"max_engines": 5, "memory_mb": 512}' }), "policy.json");
  const policy = async (args: string[], input?: string) => {
    const ran = await orchctl(["products", "policy", "demo", ...args], { env: ADMIN, ...(input && { input }) });
    t.equal(ran.code, 0, ran.stderr);
    return server.calls.at(-1)?.body;
  };
  t.same(await policy(["--max-engines", "none", "--requests-per-minute", "60", "--drain", "2m", "--resume"]), {
    max_engines: null,
    requests_per_minute: 60,
    drain_s: 120,
    suspended: false,
  });
  const limits = ["--memory", "512", "--max-processes", "64", "--disk", "100", "--cpu-weight", "10"];
  t.same(await policy([...limits, "--tool-network", "example.com, *.internal:443", "--tool-listen", "3000,8080"]), {
    memory_mb: 512,
    max_processes: 64,
    disk_mb: 100,
    cpu_weight: 10,
    tool_network: ["example.com", "*.internal:443"],
    tool_listen: [3000, 8080],
  });
  t.same(await policy(["--tool-network", "none", "--tool-listen", "none"]), { tool_network: "none", tool_listen: [] });
  const budgets = [
    "engine.tokens_per_day=500000",
    "engine.cost_per_month=1.5",
    "product.cost_per_day=20",
    "warn_at=0.9",
  ];
  t.same(await policy(budgets.flatMap((one) => ["--budget", one])), {
    budgets: {
      engine: { tokens_per_day: 500_000, cost_per_month: 1.5 },
      product: { cost_per_day: 20 },
      warn_at: 0.9,
    },
  });
  t.same(await policy(["--budget", "none"]), { budgets: { engine: {}, product: {}, warn_at: 0.8 } });
  const hook = ["--tool-hook", "https://api.example.com/tools", "--tool-hook-tools", "run_command,mcp__*"];
  const given = { url: "https://api.example.com/tools", tools: ["run_command", "mcp__*"] };
  t.same(await policy(hook), { tool_hook: { ...given, timeout_ms: 2000, on_error: "deny" } });
  t.same(await policy([...hook, "--tool-hook-timeout", "900", "--tool-hook-on-error", "ask"]), {
    tool_hook: { ...given, timeout_ms: 900, on_error: "ask" },
  });
  t.same(await policy(["--tool-hook", "none"]), { tool_hook: null });
  t.same(await policy(["--policy-file", file, "--max-engines", "7"]), { max_engines: 7, memory_mb: 512 });
  t.same(await policy(["--policy-file", "-"], '{"suspended": true}'), { suspended: true });
  t.same(await policy(["--suspend"]), { suspended: true, suspend: "drain" });
  t.same(await policy(["--suspend-now"]), { suspended: true, suspend: "now" });
  t.same(await policy(["--intercept", "--pause-schedules"]), { intercept: true, schedules_paused: true });
  t.same(await policy(["--no-intercept", "--resume-schedules"]), { intercept: false, schedules_paused: false });
  t.same(await policy(["--allow", "start,stop"]), { allowed_actions: ["start", "stop"] });
  t.same(await policy(["--unset-engine-env", "LLM_API_KEY"]), { engine_env: { LLM_API_KEY: null } });
});

t.test("a policy that contradicts itself or is no JSON object is refused before any call", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  for (const [args, words] of [
    [["--suspend", "--resume"], /cannot be used with/],
    [["--suspend-now", "--resume"], /cannot be used with/],
    [["--max-engines", "many"], /--max-engines <n>.*Expected a whole number/],
    [["--drain", "soon"], /Expected a time such as/],
    [["--tool-listen", "http"], /--tool-listen <ports>.*Expected a whole number/],
    [["--budget", "engine.tokens=1"], /--budget <limit>.*Expected engine or product with tokens_per_day/],
    [["--tool-hook", "https://a.example"], /--tool-hook needs --tool-hook-tools/],
    [["--tool-hook", "none", "--tool-hook-timeout", "900"], /need --tool-hook URL/],
    [["--tool-hook-on-error", "allow"], /Allowed choices are deny, ask/],
    [["--policy-file", "-"], /--policy-file -: expected a JSON object/],
    [["--pause-schedules", "--resume-schedules"], /cannot be used with/],
    [["--policy-file", "/nowhere.json"], /\/nowhere\.json cannot be read/],
  ] as const) {
    const ran = await orchctl(["products", "policy", "demo", ...args], { env: ADMIN, input: "[]" });
    t.equal(ran.code, 2, args.join(" "));
    t.match(ran.stderr, words);
  }
  t.equal(server.calls.length, 0);
});

t.test("an engine's secret is read from the environment or a file, and refused in the command", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("PUT /products/demo/policy", { body: product() });
  const file = join(t.testdir({ key: "from-file\n" }), "key");
  const ran = await orchctl(
    ["products", "policy", "demo", "--engine-env", "LLM_API_KEY", "--engine-env", `LLM_MODEL=@${file}`],
    { env: { ...ADMIN, LLM_API_KEY: "from-environment" } },
  );
  t.equal(ran.code, 0, ran.stderr);
  t.same(server.calls[0]?.body, { engine_env: { LLM_API_KEY: "from-environment", LLM_MODEL: "from-file" } });

  for (const secret of ["LLM_API_KEY=geheim", "LLM_ANYTHING=geheim", "LLM_BASE_URL=https://user:geheim@example.com"]) {
    const refused = await orchctl(["products", "policy", "demo", "--engine-env", secret], { env: ADMIN });
    t.equal(refused.code, 2, secret);
    t.match(refused.stderr, /secret, which others could read .*; set the variable LLM_\w+ .*=@FILE/);
    t.notMatch(refused.stderr, /geheim/);
  }
  for (const [typed, words] of [
    ["FOO=geheim", "--engine-env FOO: unknown setting; expected one of LLM_*, "],
    ["LLM_BASE_URL=geheim", "--engine-env LLM_BASE_URL: expected a URL that begins with http:// or https://\n"],
  ] as const) {
    const refused = await orchctl(["products", "policy", "demo", "--engine-env", typed], { env: ADMIN });
    t.equal(refused.code, 2, typed);
    t.match(refused.stderr, words);
    t.notMatch(refused.stderr, /geheim|secret/);
  }
  const unset = await orchctl(["products", "policy", "demo", "--engine-env", "LLM_API_KEY"], { env: ADMIN });
  t.equal(unset.code, 2, "nobody is there to be asked");
  t.equal(server.calls.length, 1);
});

t.test("rotate-key makes the key here and sends only its hash", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("PUT /products/demo/platform-key-hash", { body: product() });
  const ran = await orchctl(["products", "rotate-key", "demo", "--grace", "24h", "--json"], { env: ADMIN });
  t.equal(ran.code, 0, ran.stderr);
  const { platform_api_key: key, slug } = JSON.parse(ran.stdout);
  t.equal(slug, "demo");
  t.ok(key.startsWith("orchp_") && plausibleKey("orchp_", key));
  t.same(server.calls[0]?.body, {
    api_key_hash: sha256(key),
    key_prefix: key.slice(0, 10),
    key_last4: key.slice(-4),
    grace_s: 86_400,
  });
  t.match(readFileSync(join(orchctl.configDir, "credentials.json"), "utf8"), key);
});

t.test("rotate-hook-secret shows the new secret once", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/demo/tool-hook/rotate-secret", { body: { secret: "whsec_abc" } });
  const ran = await orchctl(["products", "rotate-hook-secret", "demo", "--grace", "1h"], { env: ADMIN });
  t.match(ran.stdout, /shown only now:\n {2}whsec_abc/);
  t.same(server.calls[0]?.body, { grace_s: 3600 });
});

t.test("key new prints a key and its hash without any call", async (t) => {
  const server = await startFakeServer(t);
  const ran = await orchctlFor(t, server)(["key", "new", "--json"]);
  const { platform_api_key: key, api_key_hash: hash } = JSON.parse(ran.stdout);
  t.equal(hash, sha256(key));
  t.equal(server.calls.length, 0);
});

t.test("list reads every page and prints one document", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /products", ({ path }) =>
    path.includes("cursor=prd_1")
      ? { body: { data: [product({ id: "prd_2", slug: "other" })], next_cursor: null } }
      : { body: { data: [product()], next_cursor: "prd_1" } },
  );
  const json = await orchctl(["products", "list", "--json"], { env: ADMIN });
  t.same(JSON.parse(json.stdout), { data: [product(), product({ id: "prd_2", slug: "other" })], next_cursor: null });
  const table = await orchctl(["products", "list"], { env: ADMIN });
  t.match(table.stdout, /SLUG +NAME +STATUS/);
  t.match(table.stdout, /other +- +active +100 +\d+ d ago +prd_2/);
});

t.test("a product shows its identity provider and its hook in words", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const end_users = {
    issuer: "https://id.example.com",
    audience: "orchd",
    jwks_url: "https://id.example.com/jwks.json",
    user_claim: "sub",
    algorithms: ["RS256"] as const,
    clock_skew_s: 30,
    scope: "turns tasks:read",
  };
  const tool_hook = {
    url: "https://api.example.com/hook",
    tools: ["run_*"],
    timeout_ms: 900,
    on_error: "ask",
  } as const;
  for (const [given, words] of [
    [
      { end_users, tool_hook },
      [/https:\/\/id\.example\.com for orchd: turns tasks:read\n/, /run_\*; 900 ms, then ask\n/],
    ],
    [{ end_users: null, tool_hook: null }, [/identity provider of end users +none\n/, /hook on tools +none\n/]],
  ] as const) {
    server.on("GET /products/demo", { body: product({ policy: { ...product().policy, ...given } }) });
    const { stdout } = await orchctl(["products", "show", "demo"], { env: ADMIN });
    for (const word of words) t.match(stdout, word);
    t.notMatch(stdout, /\[object/);
  }
});

t.test("a product that is being deleted says so, with the engines that are left", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const record = product({ deletion: { started_at: "2026-11-01T13:00:00.000Z", engines_left: 7 } });
  server.on("GET /products", { body: { data: [record], next_cursor: null } });
  server.on("GET /products/demo", { body: record });
  t.match((await orchctl(["products", "list"], { env: ADMIN })).stdout, /demo +- +deleting +100/);
  const shown = await orchctl(["products", "show", "demo"], { env: ADMIN });
  t.match(shown.stdout, /deleting +since 2026-11-01T13:00:00.000Z, 7 engines left\n/);
});

t.test(
  "use changes the product of later commands; --product goes before it and before a key in the environment",
  async (t) => {
    const server = await startFakeServer(t);
    const orchctl = orchctlFor(t, server);
    server.on("POST /products/register", ({ body }) => ({
      status: 201,
      body: { ...product({ slug: body.slug }), platform_api_key: null },
    }));
    server.on("GET /engines", { body: { data: [], next_cursor: null } });
    const register = async (slug: string) =>
      shownKey((await orchctl(["products", "register", slug], { env: ADMIN })).stdout);
    const [one, two] = [await register("one"), await register("two")];
    const keyFor = async (args: string[], env = {}) => {
      const ran = await orchctl(["engines", "list", ...args], { env });
      t.equal(ran.code, 0, ran.stderr);
      return server.calls.at(-1)?.headers["x-platform-key"];
    };
    t.equal(await keyFor([]), one, "the first one registered");
    t.equal((await orchctl(["products", "use", "two"])).code, 0);
    t.equal(await keyFor([]), two);
    t.equal((await orchctl(["products", "use", "one"])).code, 0);
    t.equal(await keyFor(["--product", "two"]), two);
    t.equal(await keyFor([], { ORCH_PRODUCT: "two" }), two);
    t.equal(await keyFor([], { ORCH_PLATFORM_KEY: "orchp_env" }), "orchp_env");
    t.equal(await keyFor(["--product", "two"], { ORCH_PLATFORM_KEY: "orchp_env" }), two);
    t.equal((await orchctl(["products", "use", "three"])).code, 4, "of which no key is kept");
  },
);

t.test("delete forgets the keys of the product and its engines; --dry-run deletes nothing", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /products/demo", { body: product() });
  server.on("DELETE /products/prd_1", { body: { deleted: true } });
  const kept = join(orchctl.configDir, "credentials.json");
  server.on("POST /products/register", registered);
  await orchctl(["products", "register", "demo"], { env: ADMIN });

  const dry = await orchctl(["products", "delete", "demo", "--force", "--dry-run"], { env: ADMIN });
  t.match(dry.stdout, /would delete the product demo \(prd_1\) and all its engines/);
  const unforced = await orchctl(["products", "delete", "demo", "--dry-run"], { env: ADMIN });
  t.match(unforced.stdout, /would delete the product demo \(prd_1\), if it has no engines; --force/);
  t.notOk(server.calls.some(({ method }) => method === "DELETE"));

  const ran = await orchctl(["products", "delete", "demo", "--force", "--yes"], { env: ADMIN });
  t.equal(ran.code, 0, ran.stderr);
  t.equal(server.calls.at(-1)?.path, "/products/prd_1?force=true");
  t.notMatch(readFileSync(kept, "utf8"), /orchp_/);
});

t.test("an existing product is a conflict, with advice", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/register", fault(409, "PRODUCT_ALREADY_EXISTS", "the slug is taken"));
  const ran = await orchctl(["products", "register", "demo"], { env: ADMIN });
  t.equal(ran.code, 5);
  t.equal(ran.stdout, "");
  t.match(
    ran.stderr,
    /orchctl: the slug is taken \(PRODUCT_ALREADY_EXISTS, product demo, http:\S+, request req-1\)\n\(orchctl products rotate-key demo/,
  );
});

t.test("the admin key is found beside a daemon on this machine", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /products", { body: { data: [], next_cursor: null } });
  const dataDir = t.testdir({ "admin-key": "" });
  writeFileSync(join(dataDir, "admin-key"), "made-on-first-start\n");
  const ran = await orchctl(["products", "list"], { env: { ORCH_DATA_DIR: dataDir } });
  t.equal(ran.code, 0, ran.stderr);
  t.equal(server.calls[0]?.headers["x-admin-key"], "made-on-first-start");
});

t.test("a setting that is no secret may be typed, and is shown", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  const engine_env_values = { LLM_PROVIDER: "anthropic" };
  const record = product({ engine_env_names: ["LLM_API_KEY", "LLM_PROVIDER"], engine_env_values });
  server.on("PUT /products/demo/policy", { body: record });
  server.on("GET /products/demo", { body: record });
  const set = await orchctl(["products", "policy", "demo", "--engine-env", "LLM_PROVIDER=anthropic"], { env: ADMIN });
  t.equal(set.code, 0, set.stderr);
  t.same(server.calls[0]?.body, { engine_env: engine_env_values });
  for (const verb of ["policy", "show"]) {
    const shown = await orchctl(["products", verb, "demo"], { env: ADMIN });
    t.match(shown.stdout, /engine env +LLM_API_KEY \(secret\), LLM_PROVIDER=anthropic\n/, verb);
  }
  t.equal(server.calls.filter(({ method }) => method === "PUT").length, 1, "policy without an option changes nothing");
});

t.test("a second product does not take the place of the current one, and says so", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("POST /products/register", ({ body }) => ({
    status: 201,
    body: { ...product({ slug: body.slug }), platform_api_key: null },
  }));
  t.match((await orchctl(["products", "register", "one"], { env: ADMIN })).stderr, "one is the current product.");
  const second = await orchctl(["products", "register", "two"], { env: ADMIN });
  t.match(second.stderr, "the current product stays one: orchctl products use two changes it");
});

t.test("deleting a product that has engines names the option that destroys them", async (t) => {
  const server = await startFakeServer(t);
  const orchctl = orchctlFor(t, server);
  server.on("GET /products/demo", { body: product() });
  server.on("DELETE /products/prd_1", fault(409, "PRODUCT_ALREADY_EXISTS", "destroy them, or delete with ?force=true"));
  const ran = await orchctl(["products", "delete", "demo", "--yes"], { env: ADMIN });
  t.equal(ran.code, 5);
  t.match(ran.stderr, "the product demo still has engines");
  t.match(ran.stderr, "(orchctl products delete demo --force destroys them");
  t.notMatch(ran.stderr, /force=true|rotate-key/);
});

t.test("the daemon is found by its own settings, ORCH_HOST and ORCH_PORT, unless ORCH_URL is set", async (t) => {
  const server = await startFakeServer(t);
  server.on("GET /products", { body: { data: [], next_cursor: null } });
  const { port } = new URL(server.url);
  const env = { ...ADMIN, ORCH_URL: "", ORCH_PORT: port };
  const orchctl = orchctlFor(t, { url: "" });
  for (const host of [{}, { ORCH_HOST: "127.0.0.1" }, { ORCH_HOST: "0.0.0.0" }]) {
    const ran = await orchctl(["products", "list"], { env: { ...env, ...host } });
    t.equal(ran.code, 0, ran.stderr);
  }
  const other = await orchctl(["products", "list"], { env: { ...env, ORCH_URL: "http://127.0.0.1:1" } });
  t.match(other.stderr, "http://127.0.0.1:1 does not answer");
  const wrong = await orchctl(["products", "list"], { env: { ...env, ORCH_PORT: "http" } });
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, "ORCH_PORT: expected an integer from 1 to 65535");
});
