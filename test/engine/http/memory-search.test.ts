import t from "tap";
import { KEY, engineParts, says, scriptedProvider, servedParts } from "../../helpers/engine-parts.ts";

const setUp = async (t: Parameters<typeof engineParts>[0]) => {
  const parts = engineParts(t, { provider: scriptedProvider(says("Noted."), says("Noted."), says("Noted.")) });
  await parts.turn("one", "Our sailing boat is called Albatross.");
  await parts.turn("two", "I grow tomatoes and chard on the balcony.");
  await parts.turn("three", "昨日、東京タワーに行きました。 fetchUserProfile() أحب القهوة");
  const url = await servedParts(t, parts);
  const search = async (body: unknown) => {
    const response = await fetch(`${url}/memory/knowledge/search`, {
      method: "POST",
      headers: { "x-engine-key": KEY },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as { results: { content: string; id: string; bearing: string }[] } & Record<
      string,
      unknown
    >;
    return { status: response.status, ignored: response.headers.get("x-ignored-fields"), body: answer };
  };
  return { parts, search };
};

t.test("a search finds statements with their source", async (t) => {
  const { search } = await setUp(t);
  const { status, body } = await search({ query: "What is our sailing boat called?" });
  t.equal(status, 200);
  t.match(body, {
    results: [
      {
        id: /^ep_/,
        kind: "episode",
        bearing: "answers",
        key: /sailing boat/,
        content: /Albatross/,
        score: Number,
        source: "conversation",
        trust: "model",
        created_at: /^\d{4}-.*Z$/,
        event_time: /^\d{4}-.*Z$/,
        valid_from: null,
        valid_to: null,
        evidence: [/^ep_/],
      },
    ],
  });
  t.equal(body.results.length, 1);
  t.same((await search({ query: "When did I run the marathon in Lisbon?" })).body, { results: [] });
  const { body: beside } = await search({ query: "What colour is our sailing boat?" });
  t.match(beside, { results: [{ bearing: /answers|touches/, content: /Albatross/ }] });
  t.match((await search({ query: "sailing boat", bearing: "answers" })).body.results, [{ content: /Albatross/ }]);
  t.same((await search({ query: "sailing boat", bearing: "touches" })).body.results, [], "it names all there is");
  t.match(await search({ query: "boat", bearing: "proves" }), { status: 400, body: { message: /^bearing: / } });
});

t.test("a query is data: nothing in it is syntax", async (t) => {
  const { search } = await setUp(t);
  const syntax = ['"', '"sailing', "sailing OR", "NEAR(sailing", "sailing*", "body:sailing", "^sailing", "-sailing"];
  const signs = ["{a b}: c", "'; drop table episodes; --", "\0", "a\0b", "😀👨‍👩‍👧", "\u202Esailing", "?", "\\", "%_%"];
  const scripts = "東京 北京 กรุงเทพ القهوة עברית हिन्दी ខ្មែរ 한국어".split(" ");
  const odd = [...syntax, ...signs, ...scripts, "a".repeat(10_240), "x ".repeat(5000)];
  for (const query of odd)
    t.match(await search({ query }), { status: 200, body: { results: Array } }, JSON.stringify(query.slice(0, 20)));
  t.equal((await search('{"query":"sailing \\ud800 boat"}')).status, 200, "half a surrogate pair");
  for (const [query, said] of [
    ["東京", /東京/],
    ["القهوة", /القهوة/],
    ["user profile", /fetchUserProfile/],
    ["fetchuserprofile", /fetchUserProfile/],
    ['"sailing" AND (boat', /Albatross/],
  ] as const)
    t.match((await search({ query })).body.results[0]?.content, said, query);
});

t.test("it can be held to kinds, times and numbers", async (t) => {
  const { search } = await setUp(t);
  const query = "sailing boat";
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  t.equal((await search({ query, kinds: ["episode"], from: "2026-01-01", to: tomorrow })).body.results.length, 1);
  t.same((await search({ query, kinds: ["fact", "note"] })).body.results, []);
  t.same((await search({ query, from: tomorrow })).body.results, []);
  t.same((await search({ query, to: "2020-01-01" })).body.results, []);
  t.same((await search({ query, as_of: "2020-01-01T00:00:00+02:00" })).body.results, []);
  t.equal((await search({ query: "sailing boat tomatoes", limit: 1 })).body.results.length, 1);
  t.match(await search({ query, colour: "blue" }), { status: 200, ignored: "colour" });
});

t.test("an invalid field is refused by its name", async (t) => {
  const { search } = await setUp(t);
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [{}, /^query: /],
    [{ query: "" }, /^query: expected 1 byte to 10 kB/],
    [{ query: "é".repeat(5121) }, /^query: expected 1 byte to 10 kB/],
    [{ query: 5 }, /^query: /],
    [{ query: "x", limit: 0 }, /^limit: /],
    [{ query: "x", limit: 101 }, /^limit: expected an integer from 1 to 100$/],
    [{ query: "x", limit: "5" }, /^limit: /],
    [{ query: "x", kinds: ["person"] }, /^kinds\.0: /],
    [{ query: "x", kinds: [] }, /^kinds: /],
    [{ query: "x", from: "last week" }, /^from: expected a date/],
    [{ query: "x", from: "2026-03-02", to: "2026-03-01" }, /^from: expected a time before to \(2026-03-01\)/],
    [{ query: "x", as_of: "2026-02-31T99:00:00Z" }, /^as_of: expected a date/],
  ];
  for (const [body, message] of refused)
    t.match(await search(body), { status: 400, body: { error: "INVALID_REQUEST", message } });
});
