import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { followHost } from "../live/events.ts";
import { followQuestions } from "../live/questions.ts";
import { linkTo, path } from "../routing/address.ts";
import { may, signOut } from "../session/session.ts";
import type { View } from "../views/view.ts";
import { VIEWS } from "../views/view-table.ts";
import { ConnectionState } from "./connection-state.tsx";
import { Help } from "./help.tsx";
import { notify } from "../parts/notices.tsx";
import { followShortcuts } from "./shortcuts.ts";
import { ThemeSwitch } from "./theme-switch.tsx";
import { Tabs } from "./tabs.tsx";
import { ClosedView, NoView } from "./no-view.tsx";
import { Person } from "./person.tsx";
import { preloadViews } from "./preload-views.ts";
import { viewAt } from "./view-at.ts";

const entries = () => VIEWS.filter(({ key, role }) => key !== undefined && mayOpen(role));

/** Navigation around the current view. */
export const Shell = ({ sessionId }: { readonly sessionId: string }) => {
  useEffect(() => {
    const abort = new AbortController();
    void followHost(sessionId, abort.signal);
    if (may("operator")) void followQuestions(abort.signal);
    const stop = followShortcuts(new Map(entries().map(({ key = "", path }) => [key, path])));
    const stopPreload = preloadViews(VIEWS.filter(({ role }) => mayOpen(role)));
    return () => {
      abort.abort();
      stop();
      stopPreload();
    };
  }, [sessionId]);
  const { view, params } = viewAt(path.value);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = view === null ? "orchd" : `${view.title} · orchd`;
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path.value]);
  return (
    <div class="shell">
      <a class="skip" href={linkTo(path.value)} onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to content
      </a>
      <nav class="side" aria-label="Views">
        <a class="brand" href={linkTo("/")}>
          orchd
        </a>
        <ul>
          {entries().map((entry) => (
            <li key={entry.path}>
              <a href={linkTo(entry.path)} aria-current={isWithin(entry, view) ? "page" : undefined}>
                {entry.title}
                {entry.count !== undefined && <Count of={entry.count} />}
              </a>
            </li>
          ))}
        </ul>
        <div class="side-end">
          <ConnectionState />
          <Person />
          <ThemeSwitch />
          <button
            type="button"
            class="quiet"
            onClick={() => void signOut().catch(() => notify("problem", "The daemon did not answer. Try again."))}
          >
            Sign out
          </button>
        </div>
      </nav>
      <main ref={main} tabIndex={-1}>
        {view === null ? (
          <NoView />
        ) : !mayOpen(view.role) ? (
          <ClosedView title={view.title} role={view.role} />
        ) : (
          <Tabs view={view} params={params}>
            <view.component key={JSON.stringify([view.path, params])} params={params} />
          </Tabs>
        )}
      </main>
      <Help views={entries()} />
    </div>
  );
};

const Count = ({ of: { value } }: { readonly of: ReadonlySignal<string> }) =>
  value === "" ? null : (
    <>
      {" "}
      <span class="count">{value}</span>
    </>
  );

const mayOpen = (role: View["role"]): boolean => role === undefined || may(role);

const ENTRIES = { engine: "/", product: "/products" } as const;

/** Whether a view belongs to an entry of the navigation: an engine belongs to the fleet. */
const isWithin = (entry: View, view: View | null): boolean =>
  view === entry || entry.path === (view?.within ?? (view?.tabOf === undefined ? undefined : ENTRIES[view.tabOf]));
