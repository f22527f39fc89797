import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { ATTEMPTS } from "../isolation/attempts.ts";
import { DISK_ATTACKS } from "../isolation/disk-attacks.ts";

const readme = readFileSync(resolve(import.meta.dirname, "../../src/sandbox/README.md"), "utf8");

t.test("the sandbox's README counts the attempts that tests make", async (t) => {
  const counted = [...readme.matchAll(/^\| ([a-z ]+) \| (\d+) \|$/gm)].map(([, part, number]) => [
    part,
    Number(number),
  ]);
  const parts = [...Map.groupBy(ATTEMPTS, ({ part }) => part)].map(([part, attempts]) => [part, attempts.length]);
  t.same(
    Object.fromEntries(counted),
    Object.fromEntries([...parts, ["more disk than the quota", DISK_ATTACKS.length]]),
  );
});
