import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { CLAIM_OUTCOMES } from "../../src/contract/orchestrator/spares-report.ts";
import { parse } from "yaml";
import type { EngineSample } from "../../src/contract/engine/status.ts";
import { ENGINE_METRICS, type EngineMetricRow } from "../../src/contract/engine/metrics.ts";
import { ENGINE_STATES, type HostStatus } from "../../src/contract/orchestrator/requests.ts";
import { Metrics } from "../../src/orchestrator/status/metrics.ts";
import { documentText, namesIn, tableIs } from "./documents.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const { groups } = parse(documentText("docs/monitoring/alerts.yaml")) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(documentText("docs/monitoring/dashboard.json")) as {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly refId: string; readonly legendFormat: string }[];
  }[];
};

/** Labels that Prometheus adds to what it scrapes, and its own metric. */
const SCRAPED = ["instance", "job"];
const OWN_METRICS = new Map([["up", new Set(SCRAPED)]]);
const FUNCTIONS = /^(?:sum|max|min|rate|increase|histogram_quantile|by|without|ignoring|and|or|e9)$/;

/** /metrics of a daemon that has everything to tell: metric to the names of its labels, and label to its values. */
async function exposition() {
  const metrics = new Metrics();
  const samples = Object.entries<EngineMetricRow>(ENGINE_METRICS).map(([name, row]): EngineSample => {
    const labels = Object.values(row.labels).map((values) => (values === "name" ? "model" : (values[0] ?? "")));
    return [name, labels, row.kind === "counter" ? 1 : [1, 1]];
  });
  metrics.engines.add("acme", { revision: 1, samples }, null);
  for (const outcome of ["running", "failed", "overtaken"]) {
    for (const spare of [...CLAIM_OUTCOMES, "off"]) metrics.bootSeconds.observe({ outcome, spare }, 1);
  }
  for (const outcome of ["exported", "dropped"] as const) metrics.spans.inc({ outcome });
  const host = {
    engines: Object.fromEntries(ENGINE_STATES.map((state) => [state, 1])),
    ports: { taken: 1, free: 1, resting: 1, quarantined: 1 },
    orphans: [],
    load: { disk_free_mb: 1 },
    backup: { newest_at: "2026-11-01T00:00:00.000Z" },
  } as unknown as HostStatus;
  const claims = { claimed: 1, none_left: 1, unfit: 1 };
  const spares = { ready: 1, target: 1, problem: null, claims };
  const idle = {
    broker: null,
    spares,
    awake: { limit: 1, engineMb: 1 },
    backups: { created: 1, failed: 1 },
    draining: false,
    breakerOpen: false,
    starting: 0,
    waiting: 0,
  };
  const costs = [{ product: "acme", currency: "USD", costMicros: 1, unpricedTokens: 1 }];
  const plans = [{ product: "acme", plan: "pro", engines: 1 }];
  const text = await metrics.text({ events: new Map(), ...idle, host, costs, plans });
  const known = new Map<string, Set<string>>(OWN_METRICS);
  const values = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = known.get(name) ?? new Set(SCRAPED);
    known.set(name, names);
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      names.add(label);
      values.set(label, (values.get(label) ?? new Set()).add(value));
    }
  }
  for (const { labels } of Object.values<EngineMetricRow>(ENGINE_METRICS)) {
    for (const [label, listed] of Object.entries(labels))
      if (listed !== "name") for (const value of listed) values.get(label)?.add(value);
  }
  return { known, values };
}

/** What is wrong with an expression, by the metrics that there are. */
function problemsOf(expr: string, { known, values }: Awaited<ReturnType<typeof exposition>>): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  for (const [open, close] of ["()", "{}", "[]"])
    if (bare.split(open ?? "").length !== bare.split(close ?? "").length) problems.push(`unbalanced ${open}${close}`);
  for (const [, name = "", , matchers = ""] of expr.matchAll(/\b([a-z]\w*)(\{([^}]*)\})?/g)) {
    if (!name.startsWith("orch_") && name !== "up") continue;
    const labels = known.get(name);
    if (labels === undefined) problems.push(`no metric ${name}`);
    used.add(name);
    for (const [, label = "", operator = "", value = ""] of matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)) {
      if (labels?.has(label) !== true) {
        problems.push(`${name} has no label ${label}`);
        continue;
      }
      if (SCRAPED.includes(label) || value.startsWith("$")) continue;
      const isPattern = operator.includes("~");
      const pattern = new RegExp(`^(?:${value})$`);
      const found = [...(values.get(label) ?? [])].filter((one) => (isPattern ? pattern.test(one) : one === value));
      const expected = isPattern ? value.replaceAll(/^.*\(|\).*$/g, "").split("|").length : 1;
      if (found.length < expected) problems.push(`${label} is never ${value}`);
    }
  }
  if (used.size === 0) problems.push("no metric");
  for (const [, list = ""] of bare.matchAll(/\b(?:by|without|ignoring) \(([^)]*)\)/g)) {
    for (const label of list.split(",").map((one) => one.trim()))
      if (![...used].some((name) => known.get(name)?.has(label))) problems.push(`grouped by ${label}, which none has`);
  }
  const words = bare.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\((?:[a-z]+(?:, )?)+\)/g, " ").match(/[a-z_]\w*/g) ?? [];
  problems.push(
    ...words.filter((word) => !used.has(word) && !FUNCTIONS.test(word)).map((word) => `unknown word ${word}`),
  );
  return problems;
}

t.test("the check of expressions sees what is wrong", async (t) => {
  const all = await exposition();
  for (const [expr, problem] of [
    ["orch_enginez > 0", "no metric orch_enginez"],
    ['orch_engines{stat="failed"}', "orch_engines has no label stat"],
    ['orch_engines{state="broken"}', "state is never broken"],
    ['orch_engines{state=~"failed|broken"}', "state is never failed|broken"],
    ["sum by (product) (orch_engines)", "grouped by product, which none has"],
    ["sum(orch_engines", "unbalanced ()"],
    ["median(orch_engines)", "unknown word median"],
    ["1 > 0", "no metric"],
  ] as const)
    t.strictSame(problemsOf(expr, all), [problem]);
});

t.test("every alert is on metrics and labels that there are, and says what it means", async (t) => {
  const all = await exposition();
  for (const { alert, expr, labels, annotations, ...rest } of rules) {
    t.strictSame(problemsOf(expr, all), [], alert);
    t.match(labels.severity, /^(?:critical|warning|info)$/, alert);
    t.ok(annotations.summary !== "" && annotations.description !== "", alert);
    t.match(rest.for ?? "1m", /^\d+[mh]$/, alert);
  }
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, "each once");
});

const promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].find((path) => existsSync(path));
t.test("Prometheus takes the rules", { skip: promtool === undefined && "needs promtool" }, async (t) => {
  const file = resolve(import.meta.dirname, "../../docs/monitoring/alerts.yaml");
  const { stdout, stderr } = spawnSync(promtool ?? "", ["check", "rules", file], { encoding: "utf8" });
  t.match(stdout + stderr, `SUCCESS: ${rules.length} rules found`);
});

t.test("the alerts of the documents are those of the rules, both ways", async (t) => {
  const shown = [...namesIn("docs/operating.md", "alerts")].sort();
  const source = tableIs("docs/operating.md", "alerts", "docs/monitoring/alerts.yaml");
  t.same(shown, rules.map(({ alert }) => alert).sort(), source);
});

t.test("every panel of the dashboard is on metrics and labels that there are", async (t) => {
  const all = await exposition();
  const variables = new Set([...dashboard.templating.list.map(({ name }) => name), "__rate_interval"]);
  for (const { name, definition } of dashboard.templating.list) {
    const [, metric = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? "") ?? [];
    t.ok(definition === undefined || all.known.get(metric)?.has(label), name);
  }
  const panels = dashboard.panels.filter(({ type }) => type !== "row");
  t.ok(panels.length > 10);
  for (const { title, type, datasource, targets = [] } of panels) {
    t.match(type, /^(?:stat|timeseries)$/, title);
    t.equal(datasource?.uid, "${datasource}", title);
    t.ok(targets.length > 0, title);
    t.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    for (const { expr, legendFormat } of targets) {
      t.strictSame(problemsOf(expr, all), [], title);
      t.strictSame(
        [...expr.matchAll(/\$(\w+)/g)].map(([, name = ""]) => name).filter((name) => !variables.has(name)),
        [],
      );
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      t.strictSame(
        shown.filter((label) => !new RegExp(`\\b${label}\\b`).test(expr) && !SCRAPED.includes(label)),
        [],
        title,
      );
    }
  }
});

t.test("the panels have ids of their own and do not overlap", async (t) => {
  const cells = new Set<string>();
  for (const { title, gridPos } of dashboard.panels) {
    const { x, y, w, h } = gridPos;
    t.ok(x >= 0 && x + w <= 24, title);
    for (let row = y; row < y + h; row++) {
      for (let column = x; column < x + w; column++) {
        t.notOk(cells.has(`${row} ${column}`), title);
        cells.add(`${row} ${column}`);
      }
    }
  }
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  t.ok(dashboard.schemaVersion >= 36);
});
