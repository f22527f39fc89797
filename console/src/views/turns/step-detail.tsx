import { Copy } from "../../parts/copy.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { formatCount } from "../../parts/format.ts";
import type { Step } from "../../live/turn-steps.ts";

/** What a step holds, and its events as they are stored. */
export const StepDetail = ({ step }: { readonly step: Step }) => (
  <>
    {step.kind === "tool" ? (
      <>
        {step.agent !== undefined && (
          <p class="dim">
            By the sub-agent <b>{step.agent}</b>
          </p>
        )}
        <JsonTree name="input" value={step.input} />
        {step.error === null ? (
          <JsonTree name="output" value={step.output} />
        ) : (
          <p class="callout problem">{step.error}</p>
        )}
        {step.files.length > 0 && <JsonTree name="files" value={step.files} />}
      </>
    ) : step.kind === "question" ? (
      <>
        <p>
          <bdi>{step.question}</bdi>
        </p>
        <p>{step.answer === null ? <span class="dim">No answer yet</span> : <b>{step.answer}</b>}</p>
      </>
    ) : (
      <pre class="log" tabIndex={0} aria-label="Text">
        {step.text}
      </pre>
    )}
    <section aria-label="Stored events">
      <header class="section-head">
        <h3>Stored events</h3>
        <span class="dim">
          {formatCount(step.events)} from {step.seq}
        </span>
        <Copy text={JSON.stringify(step.stored, null, 2)} />
      </header>
      {step.stored.map((event, index) => (
        <JsonTree key={index} name={event.event === "unknown" ? event.type : event.event} value={event.data} open={0} />
      ))}
    </section>
  </>
);
