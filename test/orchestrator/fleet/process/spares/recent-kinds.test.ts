import t from "tap";
import { RecentKinds } from "../../../../../src/orchestrator/fleet/process/spares/recent-kinds.ts";

const kindsOf = (launches: string): RecentKinds<string> => {
  const kinds = new RecentKinds<string>((kind) => kind);
  for (const kind of launches) kinds.note(kind);
  return kinds;
};

t.test("spares are divided by how often each kind was launched lately", async (t) => {
  t.same(kindsOf("").divide(2, []), [], "nothing is known yet");
  t.same(kindsOf("aaaaaaaaab").divide(2, []), ["a", "a"]);
  t.same(kindsOf("aaaaabbbb").divide(2, []), ["a", "b"]);
  t.same(kindsOf("aaaaabbbbcc").divide(4, []).toSorted(), ["a", "a", "b", "b"]);
  t.same(kindsOf("a".repeat(50) + "b".repeat(20)).divide(2, []), ["b", "b"], "older launches are forgotten");
});

t.test("two products that alternate do not exchange the spares with each start", async (t) => {
  for (const seats of [1, 3]) {
    const kinds = kindsOf("ab".repeat(10));
    const first = kinds.divide(seats, []);
    let seated = first;
    for (const kind of "abbaababbaba") {
      kinds.note(kind);
      seated = kinds.divide(seats, seated);
      t.same(seated.toSorted(), first.toSorted(), `${seats} after ${kind}`);
    }
  }
});

t.test("a kind that is launched more often takes over", async (t) => {
  const kinds = kindsOf("a".repeat(20));
  for (const kind of "b".repeat(12)) kinds.note(kind);
  t.same(kinds.divide(1, ["a"]), ["b"]);
});
