import t from "tap";
import { ModelCooldowns } from "../../../src/engine/model/model-cooldowns.ts";

function scene(random = 0) {
  let now = 1000;
  const cooldowns = new ModelCooldowns({ clock: () => now, random: () => random });
  return { cooldowns, pass: (ms: number) => (now += ms) };
}

t.test("a cooldown doubles with each failure after it, up to five minutes, and ends with an answer", async (t) => {
  const { cooldowns, pass } = scene();
  const lengths: number[] = [];
  for (let failure = 0; failure < 7; failure++) {
    cooldowns.failed("m", "overloaded", null);
    lengths.push(cooldowns.leftMs("m"));
    pass(cooldowns.leftMs("m"));
  }
  t.same(lengths, [15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  cooldowns.answered("m");
  cooldowns.failed("m", "overloaded", null);
  t.equal(cooldowns.leftMs("m"), 15_000);
});

t.test("calls that fail together count once", async (t) => {
  const { cooldowns } = scene();
  for (let call = 0; call < 10; call++) cooldowns.failed("m", "timeout", null);
  t.equal(cooldowns.leftMs("m"), 15_000);
});

t.test("a retry-after is kept, at most ten minutes", async (t) => {
  const { cooldowns } = scene();
  cooldowns.failed("a", "rate_limited", 90);
  cooldowns.failed("b", "rate_limited", 100_000);
  t.same([cooldowns.leftMs("a"), cooldowns.leftMs("b")], [90_000, 600_000]);
});

t.test("after a cooldown one call tries the model, and the others follow when it answers", async (t) => {
  const { cooldowns, pass } = scene();
  cooldowns.tried("m");
  t.equal(cooldowns.leftMs("m"), 0, "a model that never failed needs no trial");
  cooldowns.failed("m", "server_error", null);
  pass(15_000);
  t.equal(cooldowns.leftMs("m"), 0);
  cooldowns.tried("m");
  t.ok(cooldowns.leftMs("m") > 0, "a second call waits");
  cooldowns.answered("m");
  t.equal(cooldowns.leftMs("m"), 0);
  cooldowns.failed("m", "server_error", null);
  pass(15_000);
  cooldowns.tried("m");
  cooldowns.released("m");
  t.equal(cooldowns.leftMs("m"), 0, "a cancelled trial lets the next call try");
});

t.test("what the daemon tells is spread by up to a quarter, only prolongs, and is not reported back", async (t) => {
  const { cooldowns } = scene(0.5);
  cooldowns.told({ model: "m", reason: "overloaded", for_ms: 8000 });
  t.equal(cooldowns.leftMs("m"), 9000);
  cooldowns.told({ model: "m", reason: "overloaded", for_ms: 1000 });
  t.equal(cooldowns.leftMs("m"), 9000);
  t.same(cooldowns.own(), []);
  cooldowns.failed("own", "connection", null);
  t.same(cooldowns.own(), [{ model: "own", reason: "connection", for_ms: 15_000 }]);
});

t.test("a hundred models are remembered at most", async (t) => {
  const { cooldowns } = scene();
  for (let model = 0; model < 150; model++) cooldowns.failed(`m${model}`, "overloaded", null);
  t.equal(cooldowns.own().length, 100);
  t.equal(cooldowns.leftMs("m0"), 0);
});
