// Each `run.ts` of the benchmarks is a link to this file. Its folder is CommonJS, and it has no types: so an older
// Node.js, which cannot read TypeScript, can read this, and says what to type instead.
(() => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [, script = "", ...names] = process.argv;
  if (major > 24 || (major === 24 && minor >= 12)) return import(script.replace(/run\.ts$/, "main.ts"));
  process.stderr.write(
    `the benchmarks need Node.js 24.12 or newer; this is ${process.versions.node}. Type instead, in the checkout:\n` +
      `  ${["node_modules/.bin/node", script.replace(/^.*(?=\bbench\/)/, ""), ...names].join(" ")}\n`,
  );
  process.exitCode = 1;
  return undefined;
})();
