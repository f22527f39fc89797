// Run by host-isolation.test.ts: refuses itself further filters, as a container may, and then looks at its host.
import { assessIsolation } from "../../../../src/orchestrator/fleet/isolation/host-isolation.ts";
import { installSeccompFilter } from "../../../../src/shared/linux/seccomp.ts";

installSeccompFilter([{ calls: ["seccomp"], refuse: "always" }]);
const { report } = await assessIsolation(JSON.parse(process.argv[2] ?? ""));
process.stdout.write(JSON.stringify(report));
