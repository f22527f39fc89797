import type { EnginePolicy, EngineRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { ENGINE_POLICY_FIELDS, type EnginePolicyField } from "../../../../src/contract/orchestrator/engine-policy.ts";
import { engineById } from "../../live/engine.ts";
import { slugOf, storeEngine } from "../../live/fleet.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { ChoiceField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { linkTo } from "../../routing/address.ts";
import { admin, productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { type Layer, labelOf, valueText } from "./layer-fields.ts";
import { LayerForm } from "./layer-form.tsx";
import { planPath } from "./plan-path.ts";

/** What holds for an engine, and who says so; its plan, and what is set for it alone. */
export const EnginePolicyView = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined)
    return (
      <p aria-busy="true" class="dim">
        Reading the engine
      </p>
    );
  return engine === null ? <NoEngine /> : <OfEngine key={engine.id} engine={engine} />;
};

const OfEngine = ({ engine }: { readonly engine: EngineRecord }) => {
  const { product_id: product, user_id: user, plan } = engine;
  const { data, problem, reload } = useResource(
    async (signal) => ({
      held: await productCalls(product).getEnginePolicy(user, { signal }),
      plans: (await admin.listPlans(product, { signal })).data.map(({ name }) => name),
    }),
    [product, user, plan],
  );
  const setOwn = async (policy: Layer) => {
    await admin.setEnginePolicy(product, user, policy);
    notify("done", "What is set for this engine is changed.");
    reload();
  };
  if (problem !== null) return <ProblemNote problem={problem} onRetry={reload} />;
  if (data === null)
    return (
      <p class="dim" aria-busy="true">
        Reading the policy
      </p>
    );
  const { held, plans } = data;
  return (
    <>
      <ChangePlan key={plan ?? ""} engine={engine} plans={plans} />
      <Held held={held} product={slugOf(product)} />
      <section aria-labelledby="own">
        <h2 id="own">Set for this engine alone</h2>
        <LayerForm
          key={JSON.stringify(held.own)}
          layer={held.own}
          below={held.policy}
          mayChange={may("admin")}
          empty="Nothing is set. All comes from its plan and the product's policy."
          action="Save"
          save={setOwn}
        >
          <span class="dim">It goes before the plan.</span>
        </LayerForm>
      </section>
    </>
  );
};

const ChangePlan = ({ engine, plans }: { readonly engine: EngineRecord; readonly plans: readonly string[] }) => {
  const [plan, setPlan] = useState(engine.plan ?? "");
  const { isBusy, run } = useAction();
  const change = () =>
    run(
      async () =>
        storeEngine(
          await productCalls(engine.product_id).changeEngine(engine.user_id, { plan: plan === "" ? null : plan }),
        ),
      plan === "" ? "The engine has no plan." : `The engine has the plan ${plan}.`,
    );
  const choices = [["", "No plan"] as const, ...plans.map((name) => [name, name] as const)];
  if (!may("operator"))
    return <p>{engine.plan === null ? "The engine has no plan." : `The engine has the plan ${engine.plan}.`}</p>;
  return (
    <form
      class="one-line"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
      }}
    >
      <ChoiceField label="Plan" value={plan} choices={choices} onChange={setPlan} />
      <button type="submit" class="primary" disabled={isBusy || plan === (engine.plan ?? "")}>
        Change plan
      </button>
    </form>
  );
};

const ORIGINS = {
  engine: "this engine",
  plan: "its plan",
  product: "the policy",
  default: "default",
} as const;

const Held = ({ held, product }: { readonly held: EnginePolicy; readonly product: string }) => {
  const from = held.from as Readonly<Record<EnginePolicyField, keyof typeof ORIGINS>>;
  const columns: readonly Column<EnginePolicyField>[] = [
    { title: "Field", cell: labelOf },
    { title: "Value", kind: "wide", cell: (name) => valueText(name, held.policy[name]) },
    {
      title: "Comes from",
      cell: (name) =>
        from[name] === "plan" && held.plan !== null ? (
          <a href={linkTo(planPath(product, held.plan))}>plan {held.plan}</a>
        ) : (
          <span class={from[name] === "default" ? "dim" : ""}>{ORIGINS[from[name]]}</span>
        ),
    },
  ];
  return (
    <section class="held" aria-labelledby="held">
      <h2 id="held">What holds</h2>
      <Table label="What holds" columns={columns} rows={ENGINE_POLICY_FIELDS} keyOf={(name) => name} />
    </section>
  );
};
