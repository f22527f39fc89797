import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useHiddenEnds } from "../parts/use-hidden-ends.ts";
import { linkTo } from "../routing/address.ts";
import { type PathParams, fillPath } from "../routing/path-pattern.ts";
import { may } from "../session/session.ts";
import type { View } from "../views/view.ts";
import { HEADERS, VIEWS } from "../views/view-table.ts";

interface TabsProps {
  readonly view: View;
  readonly params: PathParams;
  readonly children: ComponentChildren;
}

/** What the views of one engine or one product share: its header and the links between them. */
export const Tabs = ({ view, params, children }: TabsProps) => {
  const nav = useRef<HTMLElement>(null);
  useHiddenEnds(nav, view.tabOf);
  useEffect(() => {
    const row = nav.current;
    if (row === null) return undefined;
    // On a narrow screen the current tab may be beyond the edge.
    const observer = new ResizeObserver(() => revealCurrent(row));
    observer.observe(row);
    return () => observer.disconnect();
  }, [view]);
  if (view.tabOf === undefined) return <>{children}</>;
  const Header = HEADERS[view.tabOf];
  // A view of one thing on a tab, such as a turn, has no tab of its own.
  const tabs = VIEWS.filter(
    ({ tabOf, path, role = "viewer" }) => tabOf === view.tabOf && path.split("/:").length === 2 && may(role),
  );
  return (
    <>
      <Header params={params} />
      <nav ref={nav} class="tabs" aria-label="Tabs">
        {tabs.map((tab) => (
          <a
            key={tab.path}
            href={linkTo(fillPath(tab.path, params))}
            aria-current={isAt(tab, view) ? "page" : undefined}
          >
            {tab.title}
          </a>
        ))}
      </nav>
      {children}
    </>
  );
};

/** Where a row that goes on fades. */
const FADE_PX = 40;

/** Scrolls the row alone, never the page. */
function revealCurrent(row: HTMLElement): void {
  const current = row.querySelector("[aria-current]");
  if (current === null) return;
  const [tab, box] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
  if (tab.right > box.right - FADE_PX) row.scrollLeft += tab.right - box.right + FADE_PX;
  else if (tab.left < box.left + FADE_PX) row.scrollLeft -= box.left + FADE_PX - tab.left;
}

const isAt = (tab: View, view: View): boolean => tab === view || view.path.startsWith(`${tab.path}/:`);
