/** `@orchd/sandbox/folders`: folders in which untrusted programs write, through descriptors and never through a link. */
export { entriesOf, entryPath, openFolder, openFolderAsOwner } from "./folders/open-folder.ts";
export { type RemovalPlace, removeFolder, removeLeftovers } from "./folders/remove-folder.ts";
export { type Walk, type WalkEntry, walkFolder } from "./folders/walk-folder.ts";
export { LinkedOutside, type Owner, changeOwner } from "./folders/change-owner.ts";
