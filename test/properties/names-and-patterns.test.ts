import { strict as assert } from "node:assert";
import { posix } from "node:path";
import fc from "fast-check";
import { canonicalName, permitsModel, readModelName } from "../../src/contract/settings/model-name.ts";
import { PROVIDERS } from "../../src/contract/settings/agent-settings.ts";
import { type ToolRule, decidingRule } from "../../src/engine/tools/tool-rules.ts";
import { matchesGlob } from "../../src/engine/tools/argument-forms.ts";
import { namesOf } from "../../src/engine/files/named-path.ts";
import { formatHostPattern, readHostPattern } from "../../src/sandbox/proxy/host-pattern.ts";
import { property } from "../helpers/property.ts";

const text = (unit: readonly string[], maxLength: number) => fc.string({ unit: fc.constantFrom(...unit), maxLength });

property(
  "a glob matches what the same regular expression matches",
  [text(["a", "b", "*", ".", "\n"], 8), text(["a", "b", ".", "\n"], 8)],
  (pattern, given) => {
    const parts = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
    assert.equal(matchesGlob(pattern, given), new RegExp(`^${parts.join("[^]*")}$`).test(given));
  },
);

const provider = fc.constantFrom(...PROVIDERS);
/** Some begin as the name of a provider does. */
const model = fc
  .tuple(fc.option(provider), fc.constantFrom("gpt-5", "a/b", "x:y", "claude"))
  .map(([before, name]) => (before === null ? name : `${before}:${name}`));

property(
  "the canonical name of a model is of the same model, and of no other",
  [model, provider, provider],
  (name, of, own) => {
    const given = `${of}:${name}`;
    assert.deepEqual(readModelName(given, own), { provider: of, model: name });
    const canonical = canonicalName(given, own);
    assert.deepEqual(readModelName(canonical, own), { provider: of, model: name });
    assert.equal(canonicalName(canonical, own), canonical);
    assert.ok(permitsModel([`${of}:*`], canonical, own));
    const others = PROVIDERS.filter((one) => one !== of).map((one) => `${one}:*`);
    assert.ok(!permitsModel(others, canonical, own));
  },
  { examples: [["anthropic:claude", "openai", "openai"]] },
);

const host = fc.oneof(
  fc.domain(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.tuple(fc.ipV4(), fc.nat({ max: 33 })).map(([address, bits]) => `${address}/${bits}`),
  fc.tuple(fc.ipV6(), fc.nat({ max: 129 })).map(([address, bits]) => `${address}/${bits}`),
  fc.constantFrom("*", "Bücher.example", "EXAMPLE.com.", "*.Example.org", "[::1]", "::ffff:1.2.3.4", "xn--a"),
);

property(
  "the canonical form of a host is a form of itself",
  [host, fc.constantFrom("", "*."), fc.constantFrom("", ":443", ":0", ":08443")],
  (host, before, after) => {
    const { pattern } = readHostPattern(before + host + after);
    if (pattern === null) return;
    const canonical = formatHostPattern(pattern);
    assert.deepEqual(readHostPattern(canonical), { pattern, problem: null });
  },
);

const segments = fc.array(fc.constantFrom("a", ".", "", "b.txt", "é", "..", "...", "~"), { maxLength: 5 });

property("a path in the workspace is that to which it resolves, and none leads out of it", [segments], (segments) => {
  const path = segments.join("/");
  let names: readonly string[];
  try {
    names = namesOf(path);
  } catch {
    assert.ok(path.startsWith("/") || segments.includes(".."), path);
    return;
  }
  const resolved = posix.resolve("/workspace", path);
  assert.equal(posix.join("/workspace", ...names), resolved);
  assert.ok(`${resolved}/`.startsWith("/workspace/"));
});

const ruleOf = (permission: ToolRule["permission"], pattern: string): ToolRule => ({
  tool: "write_file",
  input: [{ path: ["path"], pattern }],
  permission,
  reason: null,
  place: { path: "settings.yaml", line: 1 },
});
const pathPattern = fc.tuple(text(["a", "b", "/"], 5), fc.constantFrom("", "*")).map(([start, end]) => start + end);
const path = text(["a", "b", "/", "."], 8);

property(
  "what a rule allows, the same rule denies too, also by another way to write the path",
  [pathPattern, path, fc.constantFrom("", "./", "b/../", "a/./../")],
  (pattern, path, before) => {
    const judged = (permission: ToolRule["permission"], given: string) =>
      decidingRule([ruleOf(permission, pattern)], { tool: "write_file", input: { path: given } }) !== null;
    assert.ok(!judged("allow", path) || judged("deny", path));
    const isRelative = path !== "" && !path.startsWith("/");
    if (isRelative && matchesGlob(pattern, posix.normalize(path))) assert.ok(judged("deny", before + path));
  },
);
