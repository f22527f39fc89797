import t from "tap";
import { indexWords } from "../../../src/shared/words/index-text.ts";

const meets = (t: Tap, asked: string, said: string) => {
  const there = new Set(indexWords(said));
  const words = indexWords(asked);
  t.ok(words.length > 0 && words.every((word) => there.has(word)), `${asked} is found in ${said}`);
};
type Tap = { ok(value: unknown, message: string): void };

t.test("case, accents and endings are ignored", async (t) => {
  meets(t, "MOVING", "She moved house");
  meets(t, "Zurich cafe", "Ein Café in Zürich");
  meets(t, "Müller's", "Mrs Muller said so");
});

t.test("code identifiers match as a whole and by their parts", async (t) => {
  for (const asked of ["user", "fetch", "profile", "fetchUserProfile", "fetchuserprofile"])
    meets(t, asked, "fetchUserProfile()");
  for (const asked of ["max", "retry", "MAX_RETRY_COUNT", "maxretrycount"]) meets(t, asked, "MAX_RETRY_COUNT=3");
  for (const asked of ["http", "server", "HTTPServer"]) meets(t, asked, "class HTTPServer {");
});

t.test("scripts without spaces match by pairs of characters", async (t) => {
  meets(t, "北京", "我去年住在北京市");
  meets(t, "東京タワー", "昨日、東京タワーに行きました");
  meets(t, "กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร");
  meets(t, "ភ្នំពេញ", "ខ្ញុំរស់នៅភ្នំពេញ");
  meets(t, "서울", "서울 여행");
  meets(t, "القهوة", "أحب القَهْوَة");
  meets(t, "Python", "用Python写的");
});

t.test("any query yields only search terms", async (t) => {
  for (const odd of [
    '"a* OR NEAR(b',
    "😀👍🏽",
    "\0",
    "a\0b",
    "\ud800x\udc00",
    "----",
    "'; drop table x; --",
    "col:val ^ {}",
    "",
  ])
    t.match(indexWords(odd).join(" "), /^[\p{L}\p{M}\p{N} ]*$/u, JSON.stringify(odd));
  t.same(indexWords("left\0right"), ["left", "right"]);
});

t.test("the beginning and the end of a very long text are indexed", async (t) => {
  const words = indexWords(`alpha ${"filler ".repeat(200_000)} omega`);
  t.ok(words.includes("alpha") && words.includes("omega"));
  t.ok(words.length < 10_000);
  t.ok(indexWords("x".repeat(1_000_000)).every((word) => word.length <= 64));
});
