import t from "tap";
import * as z from "zod/mini";
import { InvalidInput, opaqueId, parse } from "../../src/kit/parse.ts";

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
  t.equal(refusal({}), "user_id: expected string, received undefined");
  t.equal(refusal({ user_id: 7 }), "user_id: expected string, received number");
  t.equal(refusal({ user_id: "" }), "user_id: expected 1 to 256 bytes of UTF-8");
  t.equal(refusal({ user_id: "a", start: "yes" }), "start: expected boolean, received string");
  for (const body of [null, [], "text", 7]) t.equal(refusal(body), "body: expected a JSON object");
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

t.test("fields nobody knows are dropped and named", async (t) => {
  const { value, ignored } = parse(schema, { user_id: "a", colour: "blue", x: 1 });
  t.same(value, { user_id: "a" });
  t.same(ignored, ["colour", "x"]);
});

t.test("a strict schema refuses a field it does not know, by name", async (t) => {
  const strict = z.strictObject({ policy: z.optional(z.strictObject({ max_engines: z.int() })) });
  t.throws(() => parse(strict, { polcy: {} }), { message: "polcy: unknown field" });
  t.throws(() => parse(strict, { policy: { max_engines: 1, max: 2 } }), { message: "policy.max: unknown field" });
});
