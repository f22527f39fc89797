import { computed, signal } from "@preact/signals";

interface Address {
  /** Such as `/engines/eng_…`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Views are in the fragment: the daemon may be published below any path, and a fragment is in no log. */
function readAddress(): Address {
  const [path = "", query = ""] = location.hash.slice(1).split("?", 2);
  return { path: path.startsWith("/") ? path.replace(/(.)\/+$/, "$1") : "/", query: new URLSearchParams(query) };
}

/** What the address bar shows. Only this file changes it. */
export const address = signal<Address>(readAddress());
export const path = computed(() => address.value.path);

/** The path with its query. */
export const addressText = computed(() => {
  const { path, query } = address.value;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
});

/** What a link to a path has as its `href`. */
export const linkTo = (path: string): string => `#${path}`;

/** Shows another path, as a link does. */
export function navigate(path: string): void {
  history.pushState(null, "", linkTo(path));
  address.value = readAddress();
}

/** Shows another path in place of the current one. */
export function replacePath(path: string): void {
  history.replaceState(null, "", linkTo(path));
  address.value = readAddress();
}

/** Changes filters of the query in place. An empty value removes one. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const { path, query } = readAddress();
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", linkTo(path) + (text === "" ? "" : `?${text}`));
  address.value = readAddress();
}

/** Follows the browser's history and clicks on links. */
export function followAddress(): void {
  addEventListener("popstate", () => {
    address.value = readAddress();
  });
}
