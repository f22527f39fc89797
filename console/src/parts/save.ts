const KEPT_MS = 60_000;

/** Lets the browser store a file under this name. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  follow(url, name);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Lets the browser fetch and store what an address sends as an attachment. */
export const saveLinked = (url: string): void => follow(url, "");

function follow(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
