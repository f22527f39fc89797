import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
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
  useEffect(() => {
    // On a narrow screen the current tab may be beyond the edge.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
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

const isAt = (tab: View, view: View): boolean => tab === view || view.path.startsWith(`${tab.path}/:`);
