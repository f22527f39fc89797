// Run by host-isolation.test.ts: refuses itself system calls, as a container may, and then looks at its host.
import { assessIsolation } from "../../../../src/orchestrator/fleet/isolation/host-isolation.ts";
import { installSeccompFilter } from "../../../../src/sandbox/seccomp/seccomp.ts";

const [options = "", calls = ""] = process.argv.slice(2);
installSeccompFilter([{ calls: JSON.parse(calls), refuse: "always" }]);
const { report, launch } = await assessIsolation(JSON.parse(options));
process.stdout.write(JSON.stringify({ report, launch }));
