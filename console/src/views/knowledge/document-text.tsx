import type { KnowledgePassage } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Clock } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import { knowledgeLink } from "./knowledge-path.ts";
import { Passage } from "./passage.tsx";

/** Passages at first; a document may have thousands. */
const SHOWN = 100;

/** A document as it was read: what engines search is this, and nothing else of it. */
export const DocumentText = ({ product, path }: { readonly product: string; readonly path: string }) => {
  const { data, problem, reload } = useResource(
    (signal) => productCalls(product).knowledge.get(path, { signal }),
    [product, path],
  );
  return (
    <section aria-labelledby="document">
      <p class="memory-note">
        <a href={knowledgeLink(product)}>All documents</a>
      </p>
      <h2 id="document">
        <bdi>{path}</bdi>
      </h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && (
        <>
          <p class="dim">
            {formatBytes(data.bytes)}, {formatCount(data.passages)} {data.passages === 1 ? "passage" : "passages"},
            changed <Clock at={data.updated_at} /> by {data.actor}
          </p>
          {data.content.slice(0, SHOWN).map((passage) => (
            <Passage key={passage.number} heading={passage.heading} text={passage.text}>
              {placeOf(passage)}
            </Passage>
          ))}
          {data.content.length > SHOWN && <p class="dim">The first {SHOWN} passages are shown.</p>}
        </>
      )}
    </section>
  );
};

function placeOf({ number, lines, pages }: KnowledgePassage): string {
  if (lines !== null) return span("line", lines);
  return pages === null ? `passage ${number}` : span("page", pages);
}

const span = (one: string, [from, to]: readonly unknown[]): string =>
  from === to ? `${one} ${String(from)}` : `${one}s ${String(from)}–${String(to)}`;
