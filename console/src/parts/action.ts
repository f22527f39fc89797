import { useState } from "preact/hooks";
import { asProblem } from "./problem.ts";
import { notify } from "./notices.tsx";

/** Runs one call at a time. Its success and its error are shown as notices. */
export function useAction(): {
  readonly isBusy: boolean;
  /** Returns whether it succeeded. `done` is what to say then, where the view does not show it. */
  readonly run: (call: () => Promise<unknown>, done?: string) => Promise<boolean>;
} {
  const [isBusy, setBusy] = useState(false);
  const run = async (call: () => Promise<unknown>, done?: string) => {
    setBusy(true);
    try {
      await call();
      if (done !== undefined) notify("done", done);
      return true;
    } catch (error) {
      const { code, message } = asProblem(error);
      notify("problem", `${message} (${code})`);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}
