import t from "tap";
import { LinkTokens } from "../../../src/engine/files/link-tokens.ts";
import type { StateValues } from "../../../src/engine/store/engine-state.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;

function tokensOf(engineId = "eng_1", values = new Map<string, unknown>()) {
  const state = {
    get: <Name extends keyof StateValues>(name: Name) => (values.get(name) as StateValues[Name] | undefined) ?? null,
    set: (name: string, value: unknown) => void values.set(name, value),
  };
  return { tokens: new LinkTokens({ state, engineId }), values };
}

t.test("a link is valid until its time, and then no longer", async (t) => {
  const { tokens } = tokensOf();
  const token = tokens.make({ path: "a/ü.txt", until: 1000 + HOUR }, 1000);
  t.same(tokens.read(token, 1000), { path: "a/ü.txt" });
  t.same(tokens.read(token, 999 + HOUR), { path: "a/ü.txt" });
  t.equal(tokens.read(token, 1000 + HOUR), null);
});

t.test("the secret is replaced after a day, and links of the hour before go on", async (t) => {
  const { tokens, values } = tokensOf();
  const first = tokens.make({ path: "a", until: DAY + HOUR - 1 }, 1);
  const [before] = values.values();
  const second = tokens.make({ path: "b", until: DAY + 2 * HOUR }, DAY + 1);
  t.notSame([...values.values()][0], before);
  t.same(tokens.read(first, DAY + 2), { path: "a" });
  t.same(tokens.read(second, DAY + 2), { path: "b" });
  const forged = tokensOf("eng_1", new Map([["link_secret", before]])).tokens;
  const late = forged.make({ path: "c", until: 2 * DAY }, DAY - 1);
  t.equal(tokens.read(late, DAY + HOUR + 2), null, "who had the store of yesterday cannot sign");
});

t.test("the same secret signs nothing for an engine of another id", async (t) => {
  const { tokens, values } = tokensOf();
  const token = tokens.make({ path: "a", until: HOUR }, 1);
  t.equal(tokensOf("eng_2", values).tokens.read(token, 2), null);
});

t.test("an engine without a secret accepts no link", async (t) => {
  t.equal(tokensOf().tokens.read("W10.", 1), null);
});
