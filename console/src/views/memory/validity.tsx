const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const dayOf = (at: string) => DAY.format(Date.parse(at));

/** From when to when something is true. */
export const Validity = ({ from, to }: { readonly from: string | null; readonly to: string | null }) => {
  if (to !== null) return <span class="dim">{`${from === null ? "" : `${dayOf(from)} `}until ${dayOf(to)}`}</span>;
  return <>{from === null ? "still true" : `since ${dayOf(from)}`}</>;
};
