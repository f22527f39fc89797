import type { EngineRecord, Plan, ProductRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { engines } from "../../live/fleet.ts";
import { useResource } from "../../live/resource.ts";
import { formatCount } from "../../parts/format.ts";
import { notify } from "../../parts/notices.tsx";
import { asProblem } from "../../parts/problem.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { type ProductProps, withProduct } from "../products/with-product.tsx";
import type { ViewProps } from "../view.ts";
import type { Layer } from "./layer-fields.ts";
import { LayerForm } from "./layer-form.tsx";

/** One plan: what it sets, and who has it. One that does not exist is created when it is saved. */
const PlanView = ({ product, params }: ProductProps & ViewProps) => {
  const name = params["plan"] ?? "";
  const { data, problem, reload } = useResource(
    async (signal) => {
      try {
        return { plan: await admin.getPlan(product.id, name, { signal }) };
      } catch (error) {
        if (asProblem(error).code === "PLAN_NOT_FOUND") return { plan: null };
        throw error;
      }
    },
    [product.id, name],
  );
  if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
  if (data === null)
    return (
      <p class="dim" aria-busy="true">
        Reading the plan
      </p>
    );
  return <PlanForm key={`${name} ${data.plan?.updated_at ?? ""}`} {...{ product, name, reload }} plan={data.plan} />;
};

interface PlanFormProps {
  readonly product: ProductRecord;
  readonly name: string;
  /** Null for one that does not exist. */
  readonly plan: Plan | null;
  readonly reload: () => void;
}

const PlanForm = ({ product, name, plan, reload }: PlanFormProps) => {
  const save = async (policy: Layer) => {
    await admin.setPlan(product.id, name, policy);
    notify("done", plan === null ? `The plan ${name} is created.` : `The plan ${name} is changed.`);
    reload();
  };
  return (
    <>
      <section aria-labelledby="plan">
        <h2 id="plan">Plan {name}</h2>
        {plan === null && <p class="dim">There is no such plan yet.</p>}
        <LayerForm
          layer={plan?.policy ?? {}}
          below={product.policy}
          empty="Nothing is set. All comes from the product's policy."
          mayChange={may("admin")}
          action={plan === null ? "Create plan" : "Save plan"}
          save={save}
        >
          {plan !== null && (
            <span class="dim">
              Changed <Ago at={plan.updated_at} />. What takes effect at once reaches running engines within a second.
            </span>
          )}
        </LayerForm>
      </section>
      {plan !== null && <PlanUsers product={product} plan={plan} />}
    </>
  );
};

const USERS: readonly Column<EngineRecord>[] = [
  {
    title: "User",
    kind: "wide",
    cell: ({ id, user_id }) => (
      <a href={linkTo(`/engines/${id}/policy`)}>
        <UserName id={user_id} />
      </a>
    ),
  },
  { title: "State", cell: ({ state }) => <StateBadge state={state} /> },
  { title: "Last active", kind: "number", cell: ({ last_active_at }) => <Ago at={last_active_at} /> },
];
const SHOWN = 50;

const PlanUsers = ({ product, plan }: { readonly product: ProductRecord; readonly plan: Plan }) => {
  const [shown, setShown] = useState(SHOWN);
  const users = [...(engines.value?.values() ?? [])]
    .filter((engine) => engine.product_id === product.id && engine.plan === plan.name)
    .toSorted((left, right) => (left.user_id < right.user_id ? -1 : 1));
  return (
    <section aria-labelledby="users">
      <h2 id="users">Users with this plan ({formatCount(users.length)})</h2>
      {users.length === 0 ? (
        <p class="dim">No engine has this plan. The page of an engine changes its plan.</p>
      ) : (
        <Table label="Users with this plan" columns={USERS} rows={users.slice(0, shown)} keyOf={({ id }) => id} />
      )}
      {users.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown + SHOWN)}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
};

export const ProductPlan = withProduct(PlanView);
