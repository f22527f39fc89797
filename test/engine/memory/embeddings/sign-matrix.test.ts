import t from "tap";
import { SignMatrix, closestRows, comparedWords } from "../../../../src/engine/memory/embeddings/sign-matrix.ts";

t.test(
  "the signs of a large memory are compared in part, so that they fit the memory and time of a search",
  async (t) => {
    const words = [1, 100_000, 131_072, 200_000, 1_000_000, 10_000_000].map((rows) => comparedWords(32, rows));
    t.same(words, [32, 32, 32, 20, 4, 4]);
    t.equal(comparedWords(3, 10_000_000), 3, "short vectors have no more");
  },
);

t.test("a matrix compares its first words of longer signs", async (t) => {
  const matrix = new SignMatrix(2);
  for (let item = 0; item < 3000; item++) matrix.add(item, Int32Array.of(item === 2999 ? 0b11 : -1, 0, item));
  const distances = new Uint16Array(matrix.size);
  t.equal(matrix.compare(Int32Array.of(0, 0, 12_345), distances, 0), 3000);
  t.same([distances[0], distances[2999]], [32, 2]);
  t.same(
    closestRows(distances, 1, 96).map((row) => matrix.itemAt(row)),
    [2999],
  );
});
