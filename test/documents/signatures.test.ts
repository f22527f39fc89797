import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { type Signature, signatures } from "../../scripts/client-signatures.ts";
import { createEngineClient } from "../../src/client/index.ts";

const root = resolve(import.meta.dirname, "../..");

/** Of the client's sources, so that no build is needed. */
const HEAD = `
import type * as client from "${join(root, "src/client/index.ts")}";
import type { FileLink, EngineRecord } from "${join(root, "src/client/index.ts")}";
declare const engine: client.EngineClient;
declare const orchestrator: client.OrchestratorClient;
declare const lines: Blob;
type Options<Arguments extends readonly unknown[], At extends number> = keyof NonNullable<Arguments[At]>;
`;

/** Names of types in a text of the table, as those of the client. */
const typesOf = (text: string) =>
  text.replaceAll(/\b[A-Z]\w+\b/g, (name) => (["AsyncGenerator", "Promise"].includes(name) ? name : `client.${name}`));

/** A program that only compiles when the example, its result, and each option are those of the client. */
function proofOf({ client, method, takes, options, returns, example }: Signature, index: number): string {
  const type = typesOf(returns);
  const isDirect = /^(?:Turn$|AsyncGenerator)/.test(returns);
  const names = options.map((name) => `"${name.replace("?", "")}"`);
  const keys = `Options<Parameters<typeof ${client}.${method}>, ${takes.length}>`;
  return `// ${client}.${method}
export ${isDirect ? "" : "async "}function call${index}(): ${isDirect ? type : `Promise<${type}>`} { return ${example}; }
${names.length === 0 ? "" : `export const options${index}: readonly ${keys}[] = [${names.join(", ")}];`}
`;
}

t.test("the examples of the signatures compile, with the results and the options that the table names", async (t) => {
  const dir = t.testdir({});
  const file = join(dir, "signatures.ts");
  writeFileSync(file, HEAD + signatures().map(proofOf).join("\n"));
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { noUnusedLocals: false },
      include: [],
      files: [file],
    }),
  );
  let problems = "";
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", dir], { encoding: "utf8" });
  } catch (error) {
    problems = (error as { readonly stdout: string }).stdout;
  }
  t.equal(problems, "");
});

t.test("every method of an engine's client has a signature", async (t) => {
  const client = createEngineClient({ url: "http://x", key: "k" });
  const methods = Object.entries(client).flatMap(([name, value]) => {
    if (name === "url") return [];
    return typeof value === "object" ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name];
  });
  const shown = signatures().flatMap(({ client: of, method }) => (of === "engine" ? [method] : []));
  t.same(shown.sort(), methods.sort(), "scripts/client-calls.ts has a row for each");
});
