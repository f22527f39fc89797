import t from "tap";
import { Metrics } from "../../src/orchestrator/status/metrics.ts";
import { namesIn, tableIs } from "./documents.ts";

const FILE = "docs/operating.md";

t.test("the metrics are those of the code, both ways", async (t) => {
  const text = await new Metrics().text({
    events: new Map(),
    backups: { created: 0, failed: 0 },
    broker: null,
    spares: { ready: 0, target: 0, problem: null, claims: { claimed: 0, none_left: 0, unfit: 0 } },
    awake: { limit: null, engineMb: 40 },
    draining: false,
    breakerOpen: false,
    starting: 0,
    waiting: 0,
    host: null,
    costs: [],
    plans: [],
  });
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
  const own = names.filter((name) => !/^orch_(process|nodejs)_/.test(name));
  const shown = namesIn(FILE, "metrics").filter((name) => name.startsWith("orch_"));
  t.same([...shown].sort(), own.sort(), tableIs(FILE, "metrics", "src/orchestrator/status/metrics.ts"));
});
