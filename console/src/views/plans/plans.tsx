import type { Plan } from "@orchd/client";
import { useState } from "preact/hooks";
import { useResource } from "../../live/resource.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { type ProductProps, withProduct } from "../products/with-product.tsx";
import { DeletePlan } from "./delete-plan.tsx";
import { planPath } from "./plan-path.ts";
import { labelOf, setFields, valueText } from "./layer-fields.ts";

const NAME = /^(?=.{1,63}$)[a-z0-9](-?[a-z0-9])*$/;

/** The plans of a product: what each sets, and how many engines have it. */
const Plans = ({ product }: ProductProps) => {
  const { data, problem, reload } = useResource(
    async (signal) => (await admin.listPlans(product.id, { signal })).data,
    [product.id],
  );
  const [isNaming, setNaming] = useState(false);
  const [deleted, setDeleted] = useState<Plan | null>(null);
  const columns: readonly Column<Plan>[] = [
    { title: "Plan", cell: ({ name }) => <a href={linkTo(planPath(product.slug, name))}>{name}</a> },
    {
      title: "What it sets",
      kind: "wide",
      cell: ({ policy }) =>
        setFields(policy)
          .map((name) => `${labelOf(name)}: ${valueText(name, policy[name])}`)
          .join("; ") || <span class="dim">nothing</span>,
    },
    { title: "Engines", kind: "number", cell: ({ engines }) => formatCount(engines) },
    { title: "Changed", kind: "number", isExtra: true, cell: ({ updated_at }) => <Ago at={updated_at} /> },
    ...(may("admin")
      ? [
          {
            title: "Actions",
            kind: "actions",
            cell: (plan: Plan) => (
              <button
                type="button"
                class="small danger"
                aria-label={`Delete ${plan.name}`}
                onClick={() => setDeleted(plan)}
              >
                Delete
              </button>
            ),
          } as const,
        ]
      : []),
  ];
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data === null && problem === null && (
        <p class="dim" aria-busy="true">
          Reading the plans
        </p>
      )}
      {may("admin") && data !== null && (
        <div class="controls">
          <button type="button" class="primary" onClick={() => setNaming(true)}>
            New plan
          </button>
        </div>
      )}
      {data !== null &&
        (data.length > 0 ? (
          <Table label="Plans" columns={columns} rows={data} keyOf={({ name }) => name} />
        ) : (
          <Empty title="This product has no plan.">
            <p>A plan is a named part of the policy: what its users may use, such as free and paid ones.</p>
          </Empty>
        ))}
      {isNaming && <NamePlan product={product.slug} onClose={() => setNaming(false)} />}
      {deleted !== null && (
        <DeletePlan
          product={product.id}
          plan={deleted.name}
          others={(data ?? []).map(({ name }) => name).filter((name) => name !== deleted.name)}
          onClose={() => setDeleted(null)}
          onDeleted={() => (setDeleted(null), reload())}
        />
      )}
    </>
  );
};

const NamePlan = ({ product, onClose }: { readonly product: string; readonly onClose: () => void }) => {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog title="New plan" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (NAME.test(name)) navigate(planPath(product, name));
          else setProblem("expected 1 to 63 of a-z, 0-9 and single inner hyphens");
        }}
      >
        <TextField label="Name" value={name} onInput={setName} problem={problem} isCode autoFocus />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Continue
          </button>
        </div>
      </form>
    </Dialog>
  );
};

export const ProductPlans = withProduct(Plans);
