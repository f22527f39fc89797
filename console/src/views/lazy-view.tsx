import type { ComponentType } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { epoch } from "../live/connection.ts";
import { isReplaced, reloadIfServed } from "./release.ts";
import type { ViewComponent, ViewProps } from "./view.ts";

/** A view whose script and styles are loaded when it is opened, or before by `preload`. */
export function lazyView<Name extends string>(
  load: () => Promise<Readonly<Record<Name, ComponentType<ViewProps>>>>,
  name: Name,
): ViewComponent {
  let Loaded: ComponentType<ViewProps> | null = null;
  const open = async () => {
    Loaded ??= (await load())[name];
  };
  const LazyView = (props: ViewProps) => {
    const [state, setState] = useState<"opening" | "open" | "failed">("opening");
    useLayoutEffect(() => {
      if (Loaded !== null) return undefined;
      let isShown = true;
      const show = (next: typeof state) => isShown && setState(next);
      open().then(
        () => show("open"),
        async () => {
          // An update of the daemon has removed the files of this page's release.
          if (isShown && (await isReplaced())) location.reload();
          else show("failed");
        },
      );
      return () => {
        isShown = false;
      };
      // A daemon that was away is asked again when it is back.
    }, [epoch.value]);
    if (Loaded !== null) return <Loaded {...props} />;
    return state === "failed" ? <NotLoaded /> : <p class="opening" aria-busy="true" />;
  };
  LazyView.preload = open;
  return LazyView;
}

const NotLoaded = () => (
  <div class="callout problem" role="alert">
    <p>This view could not be loaded from the daemon.</p>
    <button type="button" onClick={() => void reloadIfServed()}>
      Try again
    </button>
  </div>
);
