import type { LastError } from "@orchd/client";
import { Ago } from "../../parts/time.tsx";
import { Copy } from "../../parts/copy.tsx";
import { readableLine } from "./log-line.ts";

interface LastErrorProps {
  readonly error: LastError;
  /** The engine has recovered from it. */
  readonly isOver: boolean;
}

/** The last error, whole: closed and without alarm when it is over. */
export const LastErrorPanel = ({ error, isOver }: LastErrorProps) => {
  const { phase, reason, exit_code, signal, oom, log_tail, at } = error;
  const parts = [
    `during ${phase}`,
    ...(exit_code === null ? [] : [`exit code ${exit_code}`]),
    ...(signal === null ? [] : [`signal ${signal}`]),
    ...(oom ? ["out of memory"] : []),
  ];
  if (isOver)
    return (
      <details class="panel recovered">
        <summary>
          Recovered from an error <Ago at={at} />: {reason}
        </summary>
        <LastErrorPanel error={error} isOver={false} />
      </details>
    );
  return (
    <section class="panel problem" aria-labelledby="last-error">
      <header>
        <h2 id="last-error">Last error</h2>
        <span class="dim">
          {parts.join(", ")}, <Ago at={at} />
        </span>
        <Copy text={JSON.stringify(error, null, 2)} label="Copy as JSON" />
      </header>
      <p>{reason}</p>
      {log_tail.length > 0 && (
        <pre class="log" tabIndex={0} aria-label="Last lines of the log">
          {log_tail.map(readableLine).join("\n")}
        </pre>
      )}
    </section>
  );
};
