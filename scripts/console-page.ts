import type { Plugin, Rolldown } from "vite";

/** Of the first page: one script. What two views share is another, and each view has one of its own. */
export const scriptGroups: Rolldown.CodeSplittingOptions = {
  groups: [
    { name: (id, build) => (isOfFirstPage(id, build) ? "console" : null), priority: 1 },
    { name: "shared", minShareCount: 2 },
  ],
};

/** Whether the page imports a module before it opens a view. */
function isOfFirstPage(id: string, build: Rolldown.ChunkingContext, seen: Set<string> = new Set()): boolean {
  const module = build.getModuleInfo(id);
  if (module === null || seen.has(id)) return false;
  seen.add(id);
  return module.isEntry || module.importers.some((importer) => isOfFirstPage(importer, build, seen));
}

/**
 * Writes the styles into the page, and loads its script after the first frame, so that this waits for no second file. The
 * daemon allows both by their hashes.
 */
export const fastPaint: Plugin = {
  name: "fast-paint",
  enforce: "post",
  generateBundle(_options, bundle) {
    const page = bundle["index.html"];
    if (page?.type !== "asset") return;
    page.source = String(page.source)
      .replace(
        /<link rel="stylesheet"[^>]* href="\.\/([^"]+)">/g,
        (_link, name: string) => `<style>${takeStyles(bundle, name)}</style>`,
      )
      .replace(
        /<script type="module"[^>]* src="([^"]+)"><\/script>([^]*)(?=<\/body>)/,
        (_script, path: string, rest: string) => rest + afterPaint(path),
      );
  },
};

/** At the end of the page: loads the script after the first frame, which would wait for it otherwise. A tab in the background draws none. */
const afterPaint = (path: string): string =>
  `<script>{const run=()=>import("${path}");document.hidden?run():requestAnimationFrame(()=>setTimeout(run))}</script>`;

function takeStyles(bundle: Rolldown.OutputBundle, name: string): string {
  const styles = bundle[name];
  if (styles?.type !== "asset") throw new Error(`the page names styles that the build did not make: ${name}`);
  delete bundle[name];
  return String(styles.source).trim();
}
