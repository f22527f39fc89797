import t from "tap";
import * as z from "zod/mini";
import {
  InvalidInput,
  characters,
  integer,
  keptJson,
  opaqueId,
  parse,
  parseBody,
  wellFormedText,
} from "../../src/shared/parse.ts";

const schema = z.object({ user_id: opaqueId(1, 256), start: z.optional(z.boolean()) });
const refusal = (input: unknown) => {
  try {
    parse(schema, input);
    return null;
  } catch (error) {
    return error instanceof InvalidInput ? error.message : error;
  }
};

t.test("a refusal names the field and what was expected", async (t) => {
  t.equal(refusal({}), "user_id: required, expected a string of 1 to 256 bytes of UTF-8");
  t.equal(refusal({ user_id: 7 }), "user_id: expected a string of 1 to 256 bytes of UTF-8, received a number");
  t.equal(refusal({ user_id: null }), "user_id: expected a string of 1 to 256 bytes of UTF-8, received null");
  t.equal(refusal({ user_id: "" }), "user_id: expected 1 to 256 bytes of UTF-8");
  t.equal(refusal({ user_id: "a", start: "yes" }), "start: expected true or false, received a string");
  for (const body of [null, [], "text", 7]) t.equal(refusal(body), "body: expected a JSON object");
});

t.test("each kind of required field says what it wants when it is not there, in what lies deeper too", async (t) => {
  const kinds = z.object({
    text: z.string(),
    count: integer(1),
    ratio: z.number(),
    list: z.array(z.object({ name: z.string() })),
    choice: z.enum(["a", "b"]),
    flag: z.boolean(),
    map: z.record(z.string(), z.unknown()),
    maybe: z.nullable(z.boolean()),
  });
  const whole = { text: "", count: 1, ratio: 1, list: [], choice: "a", flag: true, map: {}, maybe: null };
  const problem = (input: unknown) => {
    try {
      return parse(kinds, input).ignored;
    } catch (error) {
      return error instanceof InvalidInput ? error.message : error;
    }
  };
  t.same(problem(whole), []);
  for (const [field, words] of Object.entries({
    text: "a string",
    count: "an integer of at least 1",
    ratio: "a number",
    list: "an array",
    choice: "one of a, b",
    flag: "true or false",
    map: "an object",
    maybe: "true or false",
  })) {
    const { [field as keyof typeof whole]: _, ...rest } = whole;
    t.equal(problem(rest), `${field}: required, expected ${words}`);
  }
  t.equal(problem({ ...whole, list: [{}] }), "list.0.name: required, expected a string");
  t.equal(problem({ ...whole, choice: "c" }), "choice: expected one of a, b");
  t.equal(problem({ ...whole, count: 1.5 }), "count: expected an integer of at least 1, received a number");
});

t.test("a refusal names the bounds, and an unknown name of a record says which are allowed", async (t) => {
  const bounded = z.object({
    limit: z.optional(integer(1, 100)),
    share: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(1)))),
    most: z.optional(z.number().check(z.lte(9))),
    name: z.optional(characters(1, 200)),
    note: z.optional(z.string().check(z.minLength(1))),
    last4: z.optional(z.string().check(z.length(4))),
    list: z.optional(z.array(z.int().check(z.gte(5))).check(z.minLength(1), z.maxLength(3))),
    env: z.optional(z.record(z.string().check(z.regex(/^LLM_/, "expected LLM_*")), z.string().check(z.maxLength(3)))),
    either: z.optional(z.union([z.int().check(z.gte(1)), z.boolean()])),
  });
  for (const [input, problem] of [
    [{ limit: 0 }, "limit: expected an integer from 1 to 100"],
    [{ limit: 101 }, "limit: expected an integer from 1 to 100"],
    [{ limit: 1e300 }, "limit: expected an integer from 1 to 100"],
    [{ limit: 1.5 }, "limit: expected an integer from 1 to 100, received a number"],
    [{ limit: "5" }, "limit: expected an integer from 1 to 100, received a string"],
    [{ share: 2 }, "share: expected at most 1"],
    [{ most: 10 }, "most: expected at most 9"],
    [{ name: "" }, "name: expected 1 to 200 characters"],
    [{ name: 7 }, "name: expected a string, received a number"],
    [{ note: "" }, "note: expected at least 1 character"],
    [{ last4: "12345" }, "last4: expected 4 characters"],
    [{ list: [] }, "list: expected at least 1 item"],
    [{ list: [4] }, "list.0: expected at least 5"],
    [{ env: { FOO: "x" } }, "env.FOO: expected LLM_*"],
    [{ env: { LLM_A: "long" } }, "env.LLM_A: expected at most 3 characters"],
  ] as const) {
    t.throws(() => parse(bounded, input), { message: problem }, problem);
  }
  t.throws(() => parse(bounded, { either: "x" }), {
    message: "either: expected a number, or true or false",
  });
});

t.test("an empty body is refused only where a field is required", async (t) => {
  t.throws(() => parseBody(schema, undefined), {
    field: "body",
    message: "body: empty, expected a JSON object; user_id: required, expected a string of 1 to 256 bytes of UTF-8",
  });
  t.same(parseBody(z.object({ force: z.optional(z.boolean()) }), undefined).value, {});
  t.throws(() => parseBody(schema, null), { message: "body: expected a JSON object" });
});

t.test("a length is counted in bytes, not in characters", async (t) => {
  t.equal(refusal({ user_id: "🚀".repeat(64) }), null);
  t.match(refusal({ user_id: "🚀".repeat(65) }), /1 to 256 bytes/);
});

t.test("control characters and broken surrogates are no ids", async (t) => {
  for (const bad of ["a\u0000b", "a\nb", "a\u007fb", "a\u0085b", "a\ud800b"])
    t.match(refusal({ user_id: bad }), /no control/);
  for (const good of ["a/b", "..", " ", "a b", "é", "用户"]) t.equal(refusal({ user_id: good }), null);
});

t.test("unknown fields are dropped and named", async (t) => {
  const { value, ignored } = parse(schema, { user_id: "a", colour: "blue", x: 1 });
  t.same(value, { user_id: "a" });
  t.same(ignored, ["colour", "x"]);
});

t.test("a strict schema refuses a field it does not know, by name", async (t) => {
  const strict = z.strictObject({ policy: z.optional(z.strictObject({ max_engines: z.int() })) });
  t.throws(() => parse(strict, { polcy: {} }), { message: "polcy: unknown field; expected one of policy" });
  t.throws(() => parse(strict, { policy: { max_engines: 1, max: 2 } }), {
    message: "policy.max: unknown field; expected one of max_engines",
  });
});

t.test("every field with a problem is named, up to five", async (t) => {
  const four = z.strictObject({ a: z.string(), b: z.string(), c: z.string(), d: z.string() });
  t.throws(() => parse(four, { a: 1, b: "", c: "", d: "", e: 1 }), {
    field: "a",
    message: "a: expected a string, received a number; e: unknown field; expected one of a, b, c, d",
  });
  t.throws(() => parse(four, { e: 1, f: 1, g: 1 }), {
    message: /^a: required.*; b: .*; c: .*; d: .*; e: .*; and 2 more$/,
  });
});

t.test("an unknown field is named in text that a header can carry", async (t) => {
  t.same(parse(schema, { user_id: "a", "\ud800": 1 }).ignored, ["\ufffd"]);
});

t.test("JSON that is kept must bear being walked and stored", async (t) => {
  const keeping = z.object({
    metadata: keptJson().check(z.refine((value) => JSON.stringify(value).length < 1000, { error: "too long" })),
  });
  const problem = (metadata: string) => {
    try {
      return parse(keeping, { metadata: JSON.parse(metadata) }).value.metadata;
    } catch (error) {
      return error instanceof InvalidInput ? error.message : error;
    }
  };
  t.equal(problem(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), "metadata: expected at most 32 levels");
  t.match(problem(String.raw`{"a":[{"b":"x\u0000"}]}`), /no NUL/);
  t.match(problem(String.raw`{"a":{"\ud800":1}}`), /no broken surrogates/);
  t.equal(problem("[]"), "metadata: expected an object, received an array");
  t.same(problem(String.raw`{"a":["\\u0000","\ud83d\ude00",null,1.5]}`), { a: ["\\u0000", "😀", null, 1.5] });
});

t.test("half a surrogate pair is no text", async (t) => {
  const text = z.object({ text: wellFormedText() });
  t.throws(() => parse(text, { text: "a\ud83d" }), { message: "text: expected no broken surrogates" });
  t.equal(parse(text, { text: "a😀\0" }).value.text, "a😀\0");
});
