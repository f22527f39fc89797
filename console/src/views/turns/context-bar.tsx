import type { ContextParts, ModelRequestSummary } from "@orchd/client";
import { formatCount } from "../../parts/format.ts";

const PARTS: readonly (readonly [name: keyof ContextParts, title: string])[] = [
  ["system", "System prompt"],
  ["tools", "Tools"],
  ["recalled", "Recalled memory"],
  ["context", "Context of turns"],
  ["history", "Earlier turns"],
  ["message", "This message"],
  ["steps", "This turn so far"],
  ["attachments", "Attachments"],
];

/** What fills the context window of a model call: a bar, and the same as a table. */
export const ContextBar = ({ call }: { readonly call: ModelRequestSummary }) => {
  const { parts, window, answer_reserve: reserve, is_estimate: isEstimate } = call.context;
  const used = PARTS.reduce((sum, [name]) => sum + parts[name], 0);
  // The parts are read even where the window is a thousand times as large.
  const whole = Math.max(used, 1);
  const share = (tokens: number) => `${((tokens / whole) * 100).toFixed(1)} %`;
  return (
    <section class="context" aria-label="Context window">
      <p>
        <b>{formatCount(used)}</b> of {formatCount(window)} tokens ({((used / window) * 100).toFixed(1)} %)
        {isEstimate && <span class="dim">, estimated</span>}
      </p>
      <div class="meter" role="img" aria-label={`${formatCount(used)} of ${formatCount(window)} tokens are used`}>
        <span class="used" style={{ width: `${Math.min(100, (used / window) * 100)}%` }} />
        <span class="reserve" style={{ width: `${Math.min(100, (reserve / window) * 100)}%` }} />
      </div>
      <div class="part-bar" aria-hidden="true">
        {PARTS.map(([name]) =>
          parts[name] === 0 ? null : <span key={name} class={`part ${name}`} style={{ flexGrow: parts[name] }} />,
        )}
      </div>
      <table class="parts">
        <thead class="sr-only">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Tokens</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {PARTS.map(([name, title]) => (
            <tr key={name} class={parts[name] === 0 ? "dim" : ""}>
              <th scope="row">
                <span class={`part ${name}`} aria-hidden="true" /> {title}
              </th>
              <td class="number">{formatCount(parts[name])}</td>
              <td class="number dim">{share(parts[name])}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <span class="part reserve" aria-hidden="true" /> Reserved for the answer
            </th>
            <td class="number">{formatCount(reserve)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </section>
  );
};
