import type { Policy, ProductRecord, UsageEntry } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/field.tsx";
import { NONE, formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { savePolicy } from "./save-policy.ts";
import { type ProductProps, withProduct } from "./with-product.tsx";

const SCOPES = [
  ["engine", "Each engine"],
  ["product", "All engines together"],
] as const;
const LIMITS = [
  ["tokens_per_day", "Tokens a day"],
  ["tokens_per_month", "Tokens a month"],
  ["cost_per_day", "Cost a day"],
  ["cost_per_month", "Cost a month"],
] as const;

type Inputs = Readonly<Record<string, string>>;

function inputsOf({ budgets }: ProductRecord["policy"]): Inputs {
  const limits = SCOPES.flatMap(([scope]) =>
    LIMITS.map(([name]) => [`${scope}.${name}`, String(budgets[scope][name] ?? "")]),
  );
  return { ...Object.fromEntries(limits), warn_at: String(Math.round(budgets.warn_at * 100)) };
}

function budgetsOf(inputs: Inputs): Policy["budgets"] {
  const limitsOf = (scope: string) =>
    Object.fromEntries(
      LIMITS.flatMap(([name]) => {
        const text = inputs[`${scope}.${name}`]?.trim() ?? "";
        return text === "" ? [] : [[name, Number(text)]];
      }),
    );
  return { engine: limitsOf("engine"), product: limitsOf("product"), warn_at: Number(inputs["warn_at"]) / 100 };
}

const BudgetForm = ({ product }: ProductProps) => {
  const stored = inputsOf(product.policy);
  const [edited, setEdited] = useState<Inputs>({});
  const inputs: Inputs = { ...stored, ...edited };
  const isChanged = Object.entries(edited).some(([name, text]) => text !== stored[name]);
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = (name: string) => ({
    value: inputs[name] ?? "",
    problem: problem?.field === name ? problem.text : null,
    onInput: (value: string) => setEdited((known) => ({ ...known, [name]: value })),
  });
  const save = async () => {
    setProblem(null);
    const wrong = Object.entries(inputs).find(([, text]) => text.trim() !== "" && !/^\d+(\.\d+)?$/.test(text.trim()));
    if (wrong !== undefined)
      return setProblem({ field: wrong[0], text: "expected a number of at least 0, or nothing" });
    setBusy(true);
    const fieldOf = (named: string) => {
      const field = named.replace(/^budgets\./, "");
      return field in inputs ? field : null;
    };
    const done = "The budgets are changed.";
    const outcome = await savePolicy(product, { budgets: budgetsOf(inputs) }, { done, fieldOf });
    if (outcome === "saved") setEdited({});
    if (typeof outcome === "object") setProblem(outcome);
    setBusy(false);
  };
  return (
    <>
      <form
        class="policy"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset class="bare" disabled={!may("admin")}>
          <legend class="sr-only">Budgets</legend>
          {SCOPES.map(([scope, title]) => (
            <fieldset key={scope}>
              <legend>{title}</legend>
              <div class="fields">
                {LIMITS.map(([name, label]) => (
                  <TextField
                    key={name}
                    label={label}
                    inputMode="decimal"
                    placeholder="no limit"
                    {...input(`${scope}.${name}`)}
                  />
                ))}
              </div>
            </fieldset>
          ))}
          <fieldset>
            <legend>Warning</legend>
            <div class="fields">
              <TextField
                label="Warn at"
                unit="%"
                inputMode="numeric"
                hint="Of each budget, in its UTC day or month."
                {...input("warn_at")}
              />
            </div>
          </fieldset>
        </fieldset>
        {may("admin") && (
          <div class="form-actions sticky">
            <button type="submit" class="primary" disabled={isBusy || !isChanged}>
              Save budgets
            </button>
            <button type="button" disabled={!isChanged} onClick={() => (setEdited({}), setProblem(null))}>
              Discard
            </button>
            <span class="dim">Costs are in the currency of the price table. A model without a price is refused.</span>
          </div>
        )}
      </form>
      <Spent product={product} />
    </>
  );
};

const COLUMNS: readonly Column<UsageEntry>[] = [
  { title: "User", kind: "wide", cell: ({ user_id }) => <UserName id={user_id ?? NONE} /> },
  { title: "Turns", kind: "number", isExtra: true, cell: ({ turns }) => formatCount(turns) },
  { title: "Model calls", kind: "number", isRare: true, cell: ({ model_calls }) => formatCount(model_calls) },
  { title: "Tokens in", kind: "number", cell: ({ input_tokens }) => formatCount(input_tokens) },
  { title: "Tokens out", kind: "number", cell: ({ output_tokens }) => formatCount(output_tokens) },
  {
    title: "Cost",
    kind: "number",
    cell: ({ cost_micros }) => (cost_micros === null ? NONE : (cost_micros / 1e6).toFixed(2)),
  },
];
const MAX_USERS = 100;

const Spent = ({ product }: ProductProps) => {
  const { data, problem, reload } = useResource(
    async (signal) => {
      const found: UsageEntry[] = [];
      for await (const entry of admin.usage({ productId: product.id, by: ["user"], signal })) {
        found.push(entry);
        if (found.length === MAX_USERS) break;
      }
      return found.sort((a, b) => b.input_tokens + b.output_tokens - a.input_tokens - a.output_tokens);
    },
    [product.id],
  );
  return (
    <section aria-labelledby="spent">
      <h2 id="spent">Spent this month</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && data.length === 0 && <Empty title="No user of this product has spent anything this month." />}
      {data !== null && data.length > 0 && (
        <Table label="Spent this month" columns={COLUMNS} rows={data} keyOf={({ user_id }) => user_id ?? ""} />
      )}
    </section>
  );
};

export const ProductBudgets = withProduct(BudgetForm);
