import t from "tap";
import {
  ENGINE_KEY_PREFIX,
  PLATFORM_KEY_PREFIX,
  newKey,
  plausibleKey,
  sameSecret,
  storedKey,
} from "../../src/contract/orchestrator/api-keys.ts";

t.test("a key has its prefix, 32 random and 6 check characters, and no two are alike", async (t) => {
  const keys = Array.from({ length: 200 }, () => newKey(ENGINE_KEY_PREFIX));
  t.same(
    keys.filter((key) => !/^sk-orch-[0-9A-Za-z]{38}$/.test(key)),
    [],
  );
  t.equal(new Set(keys).size, keys.length);
});

t.test("a wrong character in an orchd key is detected without a look-up", async (t) => {
  const key = newKey(PLATFORM_KEY_PREFIX);
  t.ok(plausibleKey(PLATFORM_KEY_PREFIX, key));
  const wrong = Array.from(key, (at, index) => key.slice(0, index) + (at === "x" ? "y" : "x") + key.slice(index + 1));
  t.same(
    wrong.slice(PLATFORM_KEY_PREFIX.length).filter((one) => plausibleKey(PLATFORM_KEY_PREFIX, one)),
    [],
  );
  t.notOk(plausibleKey(PLATFORM_KEY_PREFIX, key.slice(0, -1)), "too short");
});

t.test("a key of another form is left to the look-up", async (t) => {
  t.ok(plausibleKey(PLATFORM_KEY_PREFIX, "whatever an operator chose"));
});

t.test("the stored form of a key does not contain the key", async (t) => {
  const key = newKey(ENGINE_KEY_PREFIX);
  const stored = storedKey(key);
  t.match(stored.hash, /^[0-9a-f]{64}$/);
  t.equal(stored.prefix.length, 10);
  t.equal(stored.last4, key.slice(-4));
  t.notOk(JSON.stringify(stored).includes(key.slice(10, -4)));
});

t.test("secrets are the same only when every character is", async (t) => {
  t.ok(sameSecret("abc", "abc"));
  t.notOk(sameSecret("abc", "abd"));
  t.notOk(sameSecret("abc", "abcd"));
  t.notOk(sameSecret("", "abcd"));
});
