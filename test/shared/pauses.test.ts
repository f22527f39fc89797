import t from "tap";
import { Pauses } from "../../src/shared/pauses.ts";

/** The pauses after so many failures in a row, in seconds. */
function pausesOf(random: number, failures: number, askedMs?: number): readonly number[] {
  const pauses = new Pauses(() => random);
  return Array.from({ length: failures }, () => {
    pauses.failed(0, askedMs);
    return pauses.remaining(0) / 1000;
  });
}

t.test("each pause is up to twice as long as the one before, and chance shortens it by up to a half", async (t) => {
  t.same(pausesOf(1, 7), [2, 4, 8, 16, 32, 60, 60]);
  t.same(pausesOf(0, 7), [1, 2, 4, 8, 16, 30, 30]);
});

t.test("engines that were asked to wait do not come back together, and none before", async (t) => {
  t.same([pausesOf(0, 1, 7000), pausesOf(1, 1, 7000)], [[7], [8]]);
  t.same(pausesOf(1, 1, 3_600_000), [60], "one that is told to wait for an hour tries after a minute");
});

t.test("a pause ends by itself, and with a success", async (t) => {
  const pauses = new Pauses(() => 1);
  t.ok(pauses.isOver(0));
  pauses.failed(0);
  t.same([pauses.isOver(1999), pauses.isOver(2000), pauses.remaining(5000)], [false, true, 0]);
  pauses.failed(0);
  pauses.succeeded();
  t.ok(pauses.isOver(0));
  pauses.failed(0);
  t.equal(pauses.remaining(0), 2000);
});
