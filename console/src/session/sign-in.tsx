import { useEffect, useRef, useState } from "preact/hooks";
import { Command } from "../parts/copy.tsx";
import { asProblem } from "../parts/problem.ts";
import { addressText } from "../routing/address.ts";
import { providerSignIn, signIn, signedOutBecause } from "./session.ts";

/** The admin key is sent once and exchanged for a session; the page does not keep it. */
export const SignIn = () => {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [provider, setProvider] = useState<Awaited<ReturnType<typeof providerSignIn>>>(null);
  useEffect(() => {
    field.current?.focus();
    // Without an answer, the admin key still signs in.
    providerSignIn().then(setProvider, () => undefined);
  }, []);
  const submit = async () => {
    const adminKey = field.current?.value.trim() ?? "";
    if (adminKey === "") {
      setProblem("Type the admin key.");
      field.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await signIn(adminKey);
    } catch (error) {
      const { code, message } = asProblem(error);
      setProblem(code === "INVALID_ADMIN_KEY" ? "This is not the admin key of this daemon." : message);
      setBusy(false);
      field.current?.select();
    }
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>orchd console</h1>
        {signedOutBecause.value !== null && <p class="callout">{signedOutBecause.value}</p>}
        {provider !== null && (
          <>
            <a class="button primary" href={`${provider.url}?return=${encodeURIComponent(addressText.value)}`}>
              Sign in with {provider.host}
            </a>
            <p class="dim">Or with the admin key:</p>
          </>
        )}
        <label for="admin-key">Admin key</label>
        <input
          id="admin-key"
          ref={field}
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          aria-invalid={problem !== null}
          aria-describedby="admin-key-hint admin-key-problem"
        />
        <p id="admin-key-problem" class="field-problem" role="alert">
          {problem}
        </p>
        <p id="admin-key-hint" class="dim">
          The value of <code>ORCH_ADMIN_KEY</code>, or of the file <code>admin-key</code> in the data folder. It is
          exchanged for a session of this browser and not stored.
        </p>
        <button type="submit" class={provider === null ? "primary" : ""} disabled={isBusy}>
          Sign in
        </button>
        <p class="dim">On the host itself, this command opens the console signed in:</p>
        <Command text="orchctl console" />
      </form>
    </main>
  );
};
