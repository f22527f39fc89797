import t from "tap";
import { executeRequest } from "../../src/contract/engine/requests.ts";
import { schemaProblems } from "../../src/contract/engine/output-schema.ts";
import { InvalidInput, parse } from "../../src/shared/parse.ts";

const base = { task_id: "t", message: "hi" };
/** What the caller is told about a field. */
function told(more: object): string {
  try {
    parse(executeRequest, { ...base, ...more });
    return "";
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}
const about = (schema: object) => told({ output_schema: schema });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

t.test("a schema of an object is taken, with every keyword of JSON Schema 2020-12", async (t) => {
  const schema = object(
    {
      a: { type: ["string", "null"], minLength: 1, maxLength: 9, pattern: "^a", format: "date", default: null },
      b: { type: "array", prefixItems: [true], items: { $ref: "#/$defs/item" }, contains: {}, uniqueItems: true },
      c: { anyOf: [{ const: 1 }, { enum: ["x"] }, { multipleOf: 0.5, exclusiveMinimum: 1 }], not: { type: "null" } },
      d: { if: {}, else: false, "x-own": [1], dependentRequired: { a: ["b"] }, $comment: "hi" },
      self: { $ref: "#" },
    },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { item: { $ref: "#/$defs/leaf" }, leaf: { type: "integer" } },
      required: ["a"],
      patternProperties: { "^x": true },
      additionalProperties: false,
    },
  );
  t.equal(about(schema), "");
});

t.test("each problem of a schema is named by its place", async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /^output_schema\.type: expected "object"/],
    [{ type: "array" }, /^output_schema\.type: expected "object"/],
    [object({ a: { type: "strng" } }), /^output_schema\.properties\.a\.type: expected one of string, number/],
    [object({ a: 7 }), /^output_schema\.properties\.a: expected a schema/],
    [object({ a: { minLength: -1 } }), /properties\.a\.minLength: expected an integer of at least 0/],
    [object({ a: { pattern: "(" } }), /properties\.a\.pattern: expected a regular expression/],
    [object({ a: { enum: [] } }), /properties\.a\.enum: expected a list with at least one value/],
    [object({ a: { items: [{}] } }), /properties\.a\.items: expected a schema/],
    [object({ a: { anyOf: [{ type: "x" }] } }), /properties\.a\.anyOf\.0\.type: expected/],
    [object({ a: { oneOf: [] } }), /properties\.a\.oneOf: expected a list of schemas/],
    [object({}, { required: ["a", "a"] }), /output_schema\.required: expected a list of different names/],
    [object({}, { properties: [] }), /output_schema\.properties: expected an object of schemas/],
    [object({}, { patternProperties: { "(": {} } }), /patternProperties\.\(: expected a regular expression as name/],
    [object({ a: { $ref: "#/$defs/none" } }), /properties\.a\.\$ref: expected a reference to a part of this schema/],
    [object({ a: { $ref: "https://example.com/x" } }), /\$ref: expected a reference to a part of this schema/],
    [object({ a: { $ref: "#/properties/a" } }), /\$ref: expected a reference that does not lead to itself/],
    [object({ a: { $id: "x" } }), /properties\.a\.\$id: not supported/],
    [object({}, { $schema: "http://json-schema.org/draft-07/schema#" }), /output_schema\.\$schema: expected https/],
    [object({ a: { description: "x".repeat(33_000) } }), /^output_schema: expected at most 32 KiB of JSON/],
  ];
  for (const [schema, message] of cases) t.match(about(schema), message);
  const two = about(object({ a: { type: "x" }, b: { minimum: "1" } }));
  t.match(two, /properties\.a\.type: .*; output_schema\.properties\.b\.minimum: expected a number/, "all at once");
  t.match(told({ output_schema: [] }), /^output_schema: expected an object/);
  t.strictSame(schemaProblems({ type: "object" }), []);
});

t.test("the items of a context are bounded and named once", async (t) => {
  const item = (name: string, content = "x") => ({ name, content });
  t.equal(told({ context: [item("a"), { ...item("b", ""), ttl: "task" }] }), "");
  t.match(told({ context: [item("a"), item("a")] }), /^context: expected different names/);
  t.match(told({ context: [item("", "x")] }), /^context\.0\.name: expected 1 to 64 characters/);
  t.match(told({ context: [item("a", "x".repeat(16 * 1024))] }), /^context: expected at most 16 KiB/);
  t.match(told({ context: Array.from({ length: 33 }, (_, at) => item(`n${at}`)) }), /^context: expected at most 32/);
  t.match(told({ context: [{ name: "a" }] }), /^context\.0\.content: required/);
  t.match(told({ context: [{ ...item("a"), ttl: "day" }] }), /^context\.0\.ttl: expected one of turn, task/);
  t.match(told({ context: [item("a", "\ud800")] }), /^context\.0\.content: expected no broken surrogates/);
});
