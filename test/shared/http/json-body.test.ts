import t from "tap";
import { parseJsonBody } from "../../../src/shared/http/json-body.ts";

const limits = { maxValues: 10, maxDepth: 3 };
const read = (text: string) => parseJsonBody(Buffer.from(text), limits);
const refusal = (text: string) => {
  try {
    return read(text);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
};

t.test("a body within its limits is read; an empty one is undefined", async (t) => {
  t.equal(read(""), undefined);
  t.same(read(String.raw`{"a":[1,2,{}],"b":"x"}`), { a: [1, 2, {}], b: "x" });
});

t.test("a body with too many values or levels is refused before it is parsed", async (t) => {
  t.equal(refusal(`[${"0,".repeat(20)}0]`), "body: expected at most 10 values");
  t.equal(
    refusal(`{${Array.from({ length: 20 }, (_, at) => `"k${at}":1`).join()}}`),
    "body: expected at most 10 values",
  );
  t.equal(refusal("[[[["), "body: expected at most 3 levels", "the level limit also applies to invalid JSON");
  t.equal(refusal("[[[[]]]]"), "body: expected at most 3 levels");
  t.same(refusal("[[[]],[[]]]"), [[[]], [[]]], "levels side by side are not deeper");
});

t.test("signs inside strings are not counted", async (t) => {
  const text = `${"[{,".repeat(50)}"`;
  t.same(read(JSON.stringify({ text })), { text });
  t.same(read(JSON.stringify({ text: "\\" })), { text: "\\" });
});

t.test("bytes that are not JSON in UTF-8 are refused", async (t) => {
  t.match(refusal("{broken"), /^body: expected JSON in UTF-8: /);
  t.throws(() => parseJsonBody(Uint8Array.of(0x22, 0xff, 0x22), limits), { message: /^body: expected JSON in UTF-8/ });
});
