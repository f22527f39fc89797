// The entry point of an engine's process. CommonJS, since it loads faster than an ES module.
const { engineSnapshot } = globalThis;
if (engineSnapshot !== undefined) {
  // The process was restored with the engine's program.
  engineSnapshot.isRestored = true;
  void engineSnapshot.start();
} else {
  // The process is confined before any other file is read.
  const launch = require("../dist/engine-confine.cjs").confine(process.env);
  if (launch !== null) require(`../dist/${launch.program}.cjs`).run(launch.text);
}
