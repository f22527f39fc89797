import t from "tap";
import { EnvironmentReader, InvalidSettings } from "../../src/shared/environment.ts";

t.test("the error lists every problem with its variable, the expected and the given value", async (t) => {
  const read = new EnvironmentReader({ PORT: "1e6", SIZE: "-1", FLAG: "yes", LEVEL: "loud" });
  read.integer("PORT", 1, { min: 1, max: 65_535 });
  read.integer("SIZE", 1, { min: 0, max: 9 });
  read.flag("FLAG", false);
  read.choice("LEVEL", ["info", "debug"], "info");
  let problems: readonly string[] = [];
  try {
    read.done();
  } catch (error) {
    if (error instanceof InvalidSettings) ({ problems } = error);
  }
  t.same(problems, [
    'PORT: expected an integer from 1 to 65535, got "1e6"',
    'SIZE: expected an integer from 0 to 9, got "-1"',
    'FLAG: expected true or false, got "yes"',
    'LEVEL: expected one of info, debug, got "loud"',
  ]);
});

t.test("unset and empty variables have their defaults", async (t) => {
  const read = new EnvironmentReader({ EMPTY: "" });
  t.equal(read.integer("EMPTY", 7, { min: 0, max: 9 }), 7);
  t.equal(read.flag("EMPTY", true), true);
  t.equal(read.text("UNSET", "x"), "x");
  t.equal(read.text("UNSET"), undefined);
  read.done();
});
