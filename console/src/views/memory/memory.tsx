import type { ComponentType } from "preact";
import { engineById } from "../../live/engine.ts";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { Episodes } from "./episodes.tsx";
import { Facts } from "./facts.tsx";
import { Graph } from "./graph.tsx";
import { MemoryActions } from "./memory-actions.tsx";
import type { MemoryProps } from "./memory-props.ts";
import { ProfilePage } from "./profile-page.tsx";
import { SearchResults } from "./search-results.tsx";
import { SkillDrafts } from "./skill-drafts.tsx";

const LISTS: readonly (readonly [name: string, title: string, component: ComponentType<MemoryProps>])[] = [
  ["facts", "Facts", Facts],
  ["episodes", "Rounds", Episodes],
  ["profile", "Profile", ProfilePage],
  ["graph", "People and things", Graph],
  ["skills", "Skill drafts", SkillDrafts],
];

/** What an engine remembers of its user. */
export const Memory = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  if (engine === undefined) return null;
  if (engine === null) return <NoEngine />;
  const { query } = address.value;
  const text = query.get("q") ?? "";
  const [name, , List] = LISTS.find(([name]) => name === query.get("list")) ?? LISTS[0] ?? [];
  return (
    <>
      <form
        class="controls ask"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ q: new FormData(event.currentTarget).get("q")?.toString().trim() ?? "" });
        }}
      >
        <input
          key={text}
          data-search
          name="q"
          type="search"
          placeholder="Ask as the agent does, such as: where does Anna live?"
          aria-label="Search the memory"
          defaultValue={text}
        />
        <button type="submit">Search</button>
        <MemoryActions engine={engine} />
      </form>
      {text !== "" ? (
        <SearchResults engine={engine} query={text} />
      ) : (
        <>
          <nav class="chips" aria-label="Kinds of memory">
            {LISTS.map(([list, title]) => (
              <a
                key={list}
                class="button chip"
                aria-current={list === name ? "page" : undefined}
                href={linkTo(`/engines/${engine.id}/memory?list=${list}`)}
              >
                {title}
              </a>
            ))}
          </nav>
          {List !== undefined && <List key={name} engine={engine} />}
        </>
      )}
    </>
  );
};
