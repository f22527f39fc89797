import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { checkFolder } from "../../../src/engine/catalog-check/check-folder.ts";
import { freshFolder } from "../../helpers/folder.ts";

t.test("a folder without any part of a catalog is refused, for it is another than the one meant", async (t) => {
  const folder = freshFolder(t);
  t.same((await checkFolder(folder, [])).errors, [], "an empty one takes everything away");
  mkdirSync(join(folder, "catalog"));
  writeFileSync(join(folder, "README.md"), "x");
  const { errors } = await checkFolder(folder, []);
  t.match(errors, [{ path: "(archive)", message: /^no part of a catalog in it; expected agents, .*at the top$/ }]);
  writeFileSync(join(folder, "core-soul.md"), "You are {{user_id}}'s.");
  const mixed = await checkFolder(folder, []);
  t.same(mixed.errors, []);
  t.same(
    mixed.warnings.map(({ path }) => path),
    ["README.md", "catalog"],
  );
});
