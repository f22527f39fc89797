import t from "tap";
import { capacityProblem } from "../../../src/orchestrator/rules/admission.ts";

t.test("a host without free disk or memory refuses an engine", async (t) => {
  t.equal(capacityProblem({ diskFreeMb: 512, diskReserveMb: 512, memoryAvailableMb: 256 }), null);
  t.match(capacityProblem({ diskFreeMb: 511, diskReserveMb: 512, memoryAvailableMb: 9999 }), /511 MiB of disk/);
  t.match(capacityProblem({ diskFreeMb: 9999, diskReserveMb: 512, memoryAvailableMb: 255 }), /255 MiB of memory/);
});
