import { useEffect, useState } from "preact/hooks";
import { useMedia } from "../../parts/use-media.ts";

/** Where it fits beside the conversation it is shown at first. Elsewhere it is below the conversation, on request. */
const WIDE = "(min-width: 1280px)";

/** Whether the context window and the request are shown. A window that becomes narrow or wide decides anew. */
export function useBeside(): { readonly isBeside: boolean; readonly toggle: () => void } {
  const isWide = useMedia(WIDE);
  const [asked, setAsked] = useState<{ readonly isWide: boolean; readonly isBeside: boolean } | null>(null);
  const isBeside = asked?.isWide === isWide ? asked.isBeside : isWide;
  useEffect(() => {
    // What was asked for is brought into view, where it is not beside.
    if (asked?.isBeside === true) document.querySelector(".beside")?.scrollIntoView({ block: "nearest" });
  }, [asked]);
  return { isBeside, toggle: () => setAsked({ isWide, isBeside: !isBeside }) };
}
