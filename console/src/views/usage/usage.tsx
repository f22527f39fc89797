import type { UsageEntry } from "@orchd/client";
import type { UsageGroup } from "../../../../src/contract/orchestrator/usage-groups.ts";
import { products, slugOf } from "../../live/fleet.ts";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { NONE, formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { UsageCharts } from "./usage-charts.tsx";
import { PERIODS, daysOf, everyDay, periodIn } from "./usage-period.ts";
import { costText, tokensOf } from "./usage-text.ts";

const GROUPS = ["day", "plan", "user", "model", "product"] as const satisfies readonly UsageGroup[];
type Group = (typeof GROUPS)[number];
/** Most rows of a table; the rest is read by `orchctl usage`. */
const MAX_ROWS = 500;

/** Most days of plans, models or products of a chart. With more it is not split. */
const MAX_PARTS = 5000;
/** What groups are made of. Users are too many for a chart. */
const GROUPED: Readonly<Record<Group, readonly UsageGroup[]>> = {
  day: [],
  plan: ["product", "plan"],
  user: [],
  model: ["model"],
  product: ["product"],
};

async function read(options: Parameters<typeof admin.usage>[0], most = MAX_ROWS): Promise<readonly UsageEntry[]> {
  const found: UsageEntry[] = [];
  for await (const entry of admin.usage(options)) {
    found.push(entry);
    if (found.length === most) break;
  }
  return found;
}

interface Choice {
  readonly since: string;
  readonly until: string;
  readonly product: string;
  readonly by: Group;
}

/** By day for the charts, split where they are, and by the group for the table. */
async function readUsage({ product, by, ...days }: Choice, signal: AbortSignal) {
  const shared = { ...days, ...(product !== "" && { productId: product }), signal };
  const parts = GROUPED[by].length === 0 ? [] : await read({ ...shared, by: ["day", ...GROUPED[by]] }, MAX_PARTS);
  const isSplit = parts.length > 0 && parts.length < MAX_PARTS;
  const daily = isSplit ? parts : await read({ ...shared, by: ["day"] });
  const rows = by === "day" ? daily : await read({ ...shared, by: by === "user" ? ["user"] : GROUPED[by] });
  return { daily, isSplit, rows };
}

/** What users have spent: by day as charts, and by plan, user, model or product. The address has the choice. */
export const Usage = () => {
  const { query } = address.value;
  const period = periodIn(query.get("period"));
  const by = GROUPS.find((group) => group === query.get("by")) ?? "day";
  const product = query.get("product") ?? "";
  const days = daysOf(period, Date.now());
  const { data, problem, reload } = useResource(
    (signal) => readUsage({ ...days, product, by }, signal),
    [days.since, days.until, product, by],
  );
  return (
    <>
      <h1>Usage</h1>
      <Choices period={period} by={by} product={product} />
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data === null && problem === null && (
        <p class="dim" aria-busy="true">
          Reading the usage
        </p>
      )}
      {data !== null && data.daily.length === 0 && <Empty title="Nothing was spent in this time." />}
      {data !== null && data.daily.length > 0 && (
        <>
          <UsageCharts daily={data.daily} days={everyDay(days)} nameOf={NAMES[data.isSplit ? by : "day"]} />
          <section aria-labelledby="spent">
            <h2 id="spent">By {by}</h2>
            <UsageTable by={by} rows={data.rows} />
          </section>
        </>
      )}
    </>
  );
};

const Choices = ({
  period,
  by,
  product,
}: {
  readonly period: string;
  readonly by: Group;
  readonly product: string;
}) => (
  <div class="controls">
    <label>
      Time{" "}
      <select value={period} onChange={({ currentTarget }) => setQuery({ period: currentTarget.value })}>
        {Object.entries(PERIODS).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <label>
      Product{" "}
      <select value={product} onChange={({ currentTarget }) => setQuery({ product: currentTarget.value })}>
        <option value="">all</option>
        {[...(products.value?.values() ?? [])].map(({ slug }) => (
          <option key={slug} value={slug}>
            {slug}
          </option>
        ))}
      </select>
    </label>
    <label>
      By{" "}
      <select value={by} onChange={({ currentTarget }) => setQuery({ by: currentTarget.value })}>
        {GROUPS.map((group) => (
          <option key={group} value={group}>
            {group}
          </option>
        ))}
      </select>
    </label>
  </div>
);

/** What an entry is of, where plans of different products may have the same name. */
const NAMES: Readonly<Record<Group, (entry: UsageEntry) => string>> = {
  day: () => "",
  user: () => "",
  plan: ({ plan = "", product_id: id = "" }) => `${plan === "" ? "no plan" : plan} of ${slugOf(id)}`,
  model: ({ provider, model }) => `${provider ?? ""}:${model ?? ""}`,
  product: ({ product_id: id = "" }) => slugOf(id),
};

const SUBJECTS: Readonly<Record<Group, Column<UsageEntry>>> = {
  day: { title: "Day", kind: "wide", cell: ({ day }) => day },
  plan: {
    title: "Plan",
    kind: "wide",
    cell: (entry) =>
      entry.plan === "" ? (
        <span class="dim">{NAMES.plan(entry)}</span>
      ) : (
        <a href={linkTo(`/products/${slugOf(entry.product_id ?? "")}/plans/${entry.plan}`)}>{NAMES.plan(entry)}</a>
      ),
  },
  user: { title: "User", kind: "wide", cell: ({ user_id }) => <UserName id={user_id ?? NONE} /> },
  model: { title: "Model", kind: "wide", cell: NAMES.model },
  product: { title: "Product", kind: "wide", cell: NAMES.product },
};

const UsageTable = ({ by, rows }: { readonly by: Group; readonly rows: readonly UsageEntry[] }) => {
  const columns: readonly Column<UsageEntry>[] = [
    SUBJECTS[by],
    { title: "Turns", kind: "number", isExtra: true, cell: ({ turns }) => formatCount(turns) },
    { title: "Model calls", kind: "number", isRare: true, cell: ({ model_calls }) => formatCount(model_calls) },
    { title: "Tokens in", kind: "number", cell: ({ input_tokens }) => formatCount(input_tokens) },
    { title: "Cached", kind: "number", isRare: true, cell: ({ cache_read_tokens }) => formatCount(cache_read_tokens) },
    { title: "Tokens out", kind: "number", cell: ({ output_tokens }) => formatCount(output_tokens) },
    { title: "Cost", kind: "number", cell: ({ cost_micros, currency }) => costText(cost_micros, currency) },
  ];
  const sorted =
    by === "day"
      ? rows.toSorted((left, right) => ((left.day ?? "") < (right.day ?? "") ? 1 : -1))
      : rows.toSorted((left, right) => tokensOf(right) - tokensOf(left));
  return (
    <>
      <Table
        label={`Usage by ${by}`}
        columns={columns}
        rows={sorted}
        keyOf={({ day, plan, user_id, product_id, provider, model }) =>
          [day, product_id, plan, user_id, provider, model].join(" ")
        }
      />
      {rows.length === MAX_ROWS && <p class="dim">The first {formatCount(MAX_ROWS)}. `orchctl usage` prints all.</p>}
    </>
  );
};
