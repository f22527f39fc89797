// What the daemon starts for one engine. CommonJS, because every engine's boot waits for it.
require("../dist/engine.cjs").run();
