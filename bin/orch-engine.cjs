// What the daemon starts for one engine. CommonJS, because every engine's boot waits for it.
// The process is confined before any other file is read.
const launch = require("../dist/engine-confine.cjs").confine(process.env);
if (launch !== null) require("../dist/engine.cjs").run(launch.text);
