/** Reads the next page of a list. */
export const More = ({ more }: { readonly more: (() => void) | null }) =>
  more === null ? null : (
    <p>
      <button type="button" onClick={more}>
        Show more
      </button>
    </p>
  );
