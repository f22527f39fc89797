import type { EngineRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { storeEngine } from "../../live/fleet.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { navigate } from "../../routing/address.ts";
import { productCalls } from "../../session/clients.ts";
import { may } from "../../session/session.ts";

type Asking = "stop" | "rotate" | "destroy" | null;

/** The text that confirms a destroy: the user id, unless it is long or hard to type. */
const typedName = (userId: string): string => (/^[\x21-\x7e]{1,40}$/.test(userId) ? userId : "destroy");

/** Start, sleep, stop, a new key, destroy. */
export const EngineActions = ({ engine }: { readonly engine: EngineRecord }) => {
  const [asking, setAsking] = useState<Asking>(null);
  const [key, setKey] = useState<string | null>(null);
  const { isBusy, run } = useAction();
  const { user_id: user, state, running, product_id } = engine;
  const calls = productCalls(product_id);
  const close = () => setAsking(null);
  const isResting = ["stopped", "failed", "sleeping", "backoff", "stop_failed"].includes(state);
  const start = () =>
    run(
      async () => storeEngine(await calls.start(user)),
      state === "sleeping" ? "The engine is awake." : "The engine runs.",
    );
  const sleep = () => run(async () => storeEngine(await calls.sleep(user)), "The engine sleeps.");
  const stop = async () => {
    await run(async () => storeEngine(await calls.stop(user)), "The engine is stopped.");
    close();
  };
  const rotate = async () => {
    await run(async () => {
      const { engine_api_key } = await calls.rotateKey(user);
      setKey(engine_api_key);
    }, "The engine has a new key.");
    close();
  };
  const destroy = async () => {
    if (await run(() => calls.destroy(user), "The engine and its data are destroyed.")) navigate("/");
    else close();
  };
  return (
    <div class="actions">
      {isResting && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => void start()}>
          {state === "sleeping" ? "Wake" : "Start"}
        </button>
      )}
      {running && (
        <button type="button" disabled={isBusy} onClick={() => void sleep()}>
          Sleep
        </button>
      )}
      {(running || state === "sleeping" || state === "backoff") && (
        <button type="button" disabled={isBusy} onClick={() => setAsking("stop")}>
          Stop
        </button>
      )}
      {(running || state === "sleeping") && (
        <button type="button" disabled={isBusy} onClick={() => setAsking("rotate")}>
          Rotate key
        </button>
      )}
      {may("admin") && (
        <button type="button" class="danger" disabled={isBusy} onClick={() => setAsking("destroy")}>
          Destroy
        </button>
      )}
      {asking === "stop" && (
        <Confirm title="Stop this engine" action="Stop" isBusy={isBusy} onConfirm={() => void stop()} onClose={close}>
          <p>
            Turns that run may continue for the time that the product's policy gives them. Calls are refused until the
            engine is started.
          </p>
        </Confirm>
      )}
      {asking === "rotate" && (
        <Confirm
          title="Rotate the engine's key"
          action="Rotate key"
          isBusy={isBusy}
          onConfirm={() => void rotate()}
          onClose={close}
        >
          <p>The current key stops working at once. The new key is shown once.</p>
        </Confirm>
      )}
      {asking === "destroy" && (
        <Confirm
          title="Destroy this engine"
          action="Destroy engine and data"
          typed={typedName(user)}
          isBusy={isBusy}
          onConfirm={() => void destroy()}
          onClose={close}
        >
          <p>This ends the engine and erases the user's conversations, memory and files. It cannot be undone.</p>
        </Confirm>
      )}
      {key !== null && (
        <SecretDialog
          title="New engine key"
          secret={key}
          note="The daemon keeps only its hash, so this key is not shown again."
          onClose={() => setKey(null)}
        />
      )}
    </div>
  );
};
