import t from "tap";
import { jsonSchemaInput } from "../../../src/engine/tools/json-schema-input.ts";

const schema = (of: object) => ({ type: "object", properties: { text: of } });

t.test("a pattern that backtracks without end refuses the input", async (t) => {
  const input = jsonSchemaInput(schema({ type: "string", pattern: "^(a+)+$" }));
  t.match(input.check({ text: "aaaa" }), { kind: "valid", input: { text: "aaaa" } });
  t.match(input.check({ text: "b" }), { kind: "invalid", message: /pattern/ });
  t.match(input.check({ text: `${"a".repeat(100)}!` }), { kind: "invalid", message: /takes longer than 100 ms/ });
  t.match(input.check({ text: "aaaa" }), { kind: "valid" }, "and nothing stays behind");
  const names = jsonSchemaInput({ type: "object", patternProperties: { "^(a+)+$": {} } });
  t.match(names.check({ [`${"a".repeat(100)}!`]: 1 }), { kind: "invalid", message: /takes longer/ });
});

t.test("a large schema and a large input are limited on request", async (t) => {
  const anyOf = Array.from({ length: 2000 }, (_, at) => ({ const: at }));
  const large = { type: "object", properties: { all: { type: "array", items: { anyOf } } } };
  const input = jsonSchemaInput(large, { limited: true });
  t.match(input.check({ all: [1999] }), { kind: "valid" });
  t.match(input.check({ all: Array.from({ length: 20_000 }, () => 1999) }), { message: /takes longer than 100 ms/ });
});

t.test("references that multiply refuse the input", async (t) => {
  const levels = Array.from({ length: 40 }, (_, at) => [
    `l${at}`,
    { allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
  ]);
  const $defs = { ...Object.fromEntries(levels), l40: { type: "string" } };
  const input = jsonSchemaInput({ ...schema({ $ref: "#/$defs/l0" }), $defs });
  t.match(input.check({ text: "x" }), { kind: "invalid", message: /takes longer/ });
});

t.test("an invalid schema is reported, and no failure of a check escapes", async (t) => {
  t.match(jsonSchemaInput(schema({ $ref: "#/nowhere" })).check({ text: 1 }), {
    message: /the tool's schema is invalid/,
  });
  t.match(jsonSchemaInput(schema({ pattern: "(" })).check({ text: "x" }), { message: /the tool's schema is invalid/ });
});
