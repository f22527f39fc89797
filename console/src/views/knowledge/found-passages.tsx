import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { productCalls } from "../../session/clients.ts";
import { knowledgeLink } from "./knowledge-path.ts";
import { Passage } from "./passage.tsx";

/** What the engines' tool finds for a question. */
export const FoundPassages = ({ product, question }: { readonly product: string; readonly question: string }) => {
  const { data, problem, reload } = useResource(
    (signal) => productCalls(product).knowledge.search(question, { signal }),
    [product, question],
  );
  return (
    <section aria-labelledby="found">
      <p class="memory-note">
        <a href={knowledgeLink(product)}>All documents</a>
      </p>
      <h2 id="found">What an engine finds</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data === null && problem === null && (
        <p class="dim" aria-busy="true">
          Searching
        </p>
      )}
      {data?.results.length === 0 && <Empty title="No document has words of this question." />}
      {data?.results.map(({ source, path, title, heading, text }) => (
        <Passage key={source} heading={[title, ...heading.filter((name) => name !== title)]} text={text}>
          <a href={knowledgeLink(product, { document: path })}>
            <bdi>{source}</bdi>
          </a>
        </Passage>
      ))}
    </section>
  );
};
