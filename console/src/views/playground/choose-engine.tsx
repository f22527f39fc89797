import { useState } from "preact/hooks";
import { engines, products, slugOf, storeEngine } from "../../live/fleet.ts";
import { asProblem } from "../../parts/problem.ts";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Ago } from "../../parts/time.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo, navigate } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";

const SHOWN = 8;

/** Chooses the engine to talk to, or provisions one. */
export const ChooseEngine = () => {
  const known = [...(engines.value?.values() ?? [])];
  const recent = known
    .toSorted((left, right) => (right.last_active_at ?? "").localeCompare(left.last_active_at ?? ""))
    .slice(0, SHOWN);
  return (
    <>
      <h1>Playground</h1>
      {recent.length > 0 && (
        <section class="panel" aria-labelledby="recent">
          <h2 id="recent">Talk to an engine</h2>
          <ul class="engine-links">
            {recent.map(({ id, user_id, product_id, state, last_active_at }) => (
              <li key={id}>
                <a href={linkTo(`/engines/${id}/playground`)}>
                  <UserName id={user_id} />
                </a>
                <StateBadge state={state} />
                <span class="dim">
                  {slugOf(product_id)}
                  {last_active_at !== null && (
                    <>
                      , <Ago at={last_active_at} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {known.length > SHOWN && (
            <p class="dim">
              The fleet lists all {known.length}: <a href={linkTo("/")}>open the fleet</a>
            </p>
          )}
        </section>
      )}
      <Provision />
    </>
  );
};

const Provision = () => {
  const choices = [...(products.value?.values() ?? [])].map(({ slug }) => [slug, slug] as const);
  const [chosen, setProduct] = useState("");
  const [user, setUser] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const product = chosen === "" ? (choices[0]?.[0] ?? "") : chosen;
  const submit = async () => {
    setBusy(true);
    try {
      // The page calls through its session and keeps no key.
      const { engine_api_key: _, ...engine } = await productCalls(product).admit({ userId: user });
      storeEngine(engine);
      navigate(`/engines/${engine.id}/playground`);
    } catch (error) {
      setProblem(asProblem(error).message);
      setBusy(false);
    }
  };
  if (choices.length === 0)
    return (
      <p class="callout">
        <span>
          An engine belongs to a product. <a href={linkTo("/products/new")}>Register a product</a>
        </span>
      </p>
    );
  return (
    <form
      class="narrow panel"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>Provision an engine</h2>
      <ChoiceField label="Product" value={product} choices={choices} onChange={setProduct} />
      <TextField label="User" value={user} onInput={setUser} problem={problem} hint="Any id, such as alice." isCode />
      <div class="form-actions">
        <button type="submit" class="primary" disabled={isBusy || user === ""}>
          Provision and talk
        </button>
      </div>
    </form>
  );
};
