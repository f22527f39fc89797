import type { Policy } from "@orchd/client";
import { useState } from "preact/hooks";
import { may } from "../../session/session.ts";
import { type FieldInput, POLICY_GROUPS, inputOf, readInput } from "./policy-fields.ts";
import { PolicyFieldInput } from "./policy-field.tsx";
import { savePolicy } from "./save-policy.ts";
import { type ProductProps, withProduct } from "./with-product.tsx";

type Inputs = Readonly<Record<string, FieldInput>>;
type Problems = Readonly<Record<string, string>>;

const FIELDS = POLICY_GROUPS.flatMap(({ fields }) => fields);
const inputsOf = (policy: Policy): Inputs =>
  Object.fromEntries(FIELDS.map((field) => [field.name, inputOf(field, policy[field.name])]));

/** The policy of a product. Only fields that were changed are sent. */
const PolicyForm = ({ product }: ProductProps) => {
  const stored = inputsOf(product.policy);
  const [edited, setEdited] = useState<Inputs>({});
  const [problems, setProblems] = useState<Problems>({});
  const [isBusy, setBusy] = useState(false);
  const changed = FIELDS.filter(
    ({ name }) => edited[name] !== undefined && String(edited[name]) !== String(stored[name]),
  );
  const save = async () => {
    const read = changed.map((field) => ({ field, result: readInput(field, edited[field.name] ?? "") }));
    const wrong = read.flatMap(({ field, result }) => ("problem" in result ? [[field.name, result.problem]] : []));
    setProblems(Object.fromEntries(wrong));
    if (wrong.length > 0) return;
    setBusy(true);
    const changes = Object.fromEntries(
      read.flatMap(({ field, result }) => ("value" in result ? [[field.name, result.value]] : [])),
    );
    // Such as `tool_network.3`: a part of the field.
    const fieldOf = (named: string) => FIELDS.find(({ name }) => name === named.split(".")[0])?.name ?? null;
    const outcome = await savePolicy(product, changes, { done: "The policy is changed.", fieldOf });
    if (outcome === "saved") setEdited({});
    if (typeof outcome === "object") setProblems({ [outcome.field]: outcome.text });
    setBusy(false);
  };
  return (
    <form
      class="policy"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset class="bare" disabled={!may("admin")}>
        <legend class="sr-only">Policy</legend>
        {POLICY_GROUPS.map(({ title, fields }) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            <div class="fields">
              {fields.map((field) => (
                <PolicyFieldInput
                  key={field.name}
                  field={field}
                  input={edited[field.name] ?? stored[field.name] ?? ""}
                  problem={problems[field.name]}
                  onInput={(input) => setEdited((known) => ({ ...known, [field.name]: input }))}
                />
              ))}
            </div>
          </fieldset>
        ))}
      </fieldset>
      <EngineSettings product={product} />
      {may("admin") && (
        <div class="form-actions sticky">
          <button type="submit" class="primary" disabled={isBusy || changed.length === 0}>
            Save policy
          </button>
          <button type="button" disabled={changed.length === 0} onClick={() => (setEdited({}), setProblems({}))}>
            Discard
          </button>
          <span class="dim">
            {changed.length === 0
              ? "No changes"
              : `Changed: ${changed.map(({ label }) => label.toLowerCase()).join(", ")}`}
          </span>
        </div>
      )}
    </form>
  );
};

/** They may hold secrets, so they are set on the command line, from files. */
const EngineSettings = ({ product: { engine_env_names, engine_env_values } }: ProductProps) => (
  <section class="panel" aria-labelledby="engine-env">
    <h2 id="engine-env">Settings of engines</h2>
    {engine_env_names.length === 0 ? (
      <p class="dim">None are set for this product.</p>
    ) : (
      <dl class="facts">
        {engine_env_names.map((name) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{engine_env_values[name] ?? "(set)"}</dd>
          </div>
        ))}
      </dl>
    )}
  </section>
);

export const ProductPolicy = withProduct(PolicyForm);
