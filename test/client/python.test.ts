import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import t from "tap";
import { programOf } from "../documents/snippets.ts";
import { root, startProduct, withoutPython } from "../examples/backends.ts";

const skip = withoutPython();
t.setTimeout(180_000);

t.test("the client for Python", { skip }, async (t) => {
  const { daemon, platformKey } = await startProduct(t);
  const env = {
    PATH: process.env["PATH"] ?? "",
    PYTHONDONTWRITEBYTECODE: "1",
    PYTHONPATH: join(root, "clients/python"),
    ORCH_URL: daemon.url,
    PLATFORM_KEY: platformKey,
  };

  await t.test("runs the program of its page", async (t) => {
    const program = programOf("docs/python.md", "python");
    const { stdout } = await promisify(execFile)("python3", ["-c", program], { env });
    t.match(stdout, /^Hello\{'input_tokens'/);
    t.match(stdout, /question Which one\? \['this', 'that'\]/);
    t.match(stdout, /t1 \/say Hello idle/);
    t.match(stdout, /b'month,sum\\n'/);
    t.match(stdout, /lamp.*desk/);
    t.match(stdout, /LLM_PROVIDER_ERROR None/);
    t.match(stdout, /\['Hello', 'Hello', 'Hello'\]\n$/);
  });

  const child = spawn("python3", [join(root, "test/client/python-client.py")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let tests = 0;
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const { test, error } = JSON.parse(line) as { readonly test: string; readonly error: string | null };
    tests += 1;
    t.equal(error, null, test);
  }
  t.same(await exited, [0, null]);
  t.ok(tests > 30, `${tests} tests ran`);
});

t.test("the client for Python is in the language of Python 3.9", { skip }, async (t) => {
  const program = `import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))`;
  execFileSync("python3", ["-c", program, join(root, "clients/python/orchd.py")]);
  t.pass("it is parsed");
});
