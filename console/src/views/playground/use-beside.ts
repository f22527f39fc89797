import { useEffect, useState } from "preact/hooks";

/** Where it fits beside the conversation it is shown at first. Elsewhere it is below the conversation, on request. */
const WIDE = "(min-width: 1280px)";

/** Whether the context window and the request are shown. A window that becomes narrow or wide decides anew. */
export function useBeside(): { readonly isBeside: boolean; readonly toggle: () => void } {
  const [isBeside, setBeside] = useState(() => matchMedia(WIDE).matches);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const wide = matchMedia(WIDE);
    const onChange = () => {
      setAsked(false);
      setBeside(wide.matches);
    };
    wide.addEventListener("change", onChange);
    return () => wide.removeEventListener("change", onChange);
  }, []);
  useEffect(() => {
    // What was asked for is brought into view, where it is not beside.
    if (isAsked && isBeside) document.querySelector(".beside")?.scrollIntoView({ block: "nearest" });
  }, [isAsked, isBeside]);
  const toggle = () => {
    setAsked(true);
    setBeside(!isBeside);
  };
  return { isBeside, toggle };
}
