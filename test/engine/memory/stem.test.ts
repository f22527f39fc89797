import t from "tap";
import { stem } from "../../../src/engine/memory/stem.ts";

t.test("words of one root meet, as in Porter's own examples", async (t) => {
  const pairs = {
    caresses: "caress",
    ponies: "poni",
    ties: "ti",
    cats: "cat",
    feed: "feed",
    agreed: "agre",
    plastered: "plaster",
    bled: "bled",
    motoring: "motor",
    sing: "sing",
    conflated: "conflat",
    troubled: "troubl",
    sized: "size",
    hopping: "hop",
    tanned: "tan",
    falling: "fall",
    hissing: "hiss",
    fizzed: "fizz",
    failing: "fail",
    filing: "file",
    happy: "happi",
    sky: "sky",
    relational: "relat",
    conditional: "condit",
    rational: "ration",
    digitizer: "digit",
    operator: "oper",
    feudalism: "feudal",
    hopefulness: "hope",
    formality: "formal",
    sensitivity: "sensit",
    triplicate: "triplic",
    formative: "form",
    electrical: "electr",
    goodness: "good",
    revival: "reviv",
    allowance: "allow",
    inference: "infer",
    adoption: "adopt",
    probate: "probat",
    rate: "rate",
    controlling: "control",
    moved: "move",
    moving: "move",
    moves: "move",
  };
  for (const [word, root] of Object.entries(pairs)) t.equal(stem(word), root, word);
});

t.test("what is not plain Latin stays as it is", async (t) => {
  for (const word of ["", "is", "straße", "42nd", "日本", "موسيقى"]) t.equal(stem(word), word);
});
