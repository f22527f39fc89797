import t from "tap";
import { sha256 } from "../../../src/contract/orchestrator/api-keys.ts";
import { SHIPPED_CORE_SOUL, parseCoreSoul, renderCoreSoul } from "../../../src/engine/catalog/core-soul.ts";

const values = { user_id: "u", product: "p", agents: "- a", skills: "- s" };

t.test("placeholders in values are not expanded", async (t) => {
  const soul = parseCoreSoul("{{user_id}} of {{ product }}\n{{agents}}{{skills}} {single} }}");
  t.equal(
    renderCoreSoul(soul, { ...values, user_id: "{{product}} $& $1" }),
    "{{product}} $& $1 of p\n- a- s {single} }}",
  );
});

t.test("an unknown placeholder is reported with its line", async (t) => {
  t.throws(() => parseCoreSoul("one\ntwo {{user_name}}\n"), {
    message: /^line 2: unknown placeholder {{user_name}}; expected one of user_id/,
  });
  t.throws(() => parseCoreSoul("one\r\ntwo\r\n{{}}"), { message: /^line 3: unknown placeholder {{}}/ });
  t.throws(() => parseCoreSoul("{{constructor}}"), { message: /unknown placeholder/ });
  t.throws(() => parseCoreSoul("a\n{{user_id"), { message: /^line 2: {{ is not closed/ });
  t.throws(() => parseCoreSoul("{{user_id\n}}"), { message: /^line 1: {{ is not closed/ });
  t.throws(() => parseCoreSoul(" \n\t"), { message: "expected text, got an empty file" });
});

t.test("the hash and size are those of the file", async (t) => {
  t.match(parseCoreSoul("Grüße {{user_id}}\n"), { hash: sha256("Grüße {{user_id}}\n"), bytes: 20 });
  const shipped = renderCoreSoul(parseCoreSoul(SHIPPED_CORE_SOUL), values);
  t.notMatch(shipped, /{{|}}/);
  t.match(shipped, "- a");
});
