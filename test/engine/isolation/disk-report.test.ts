import t from "tap";
import { createDiskReport } from "../../../src/engine/isolation/disk-report.ts";

t.test("the folder is measured when it is asked for first, and again only after activity", async (t) => {
  let measured = 0;
  let active: string | null = null;
  const disk = {
    get isMeasured() {
      return measured > 0;
    },
    get usedBytes() {
      return measured * 1000;
    },
    refresh: async () => void measured++,
  };
  const report = createDiskReport(disk, () => active);
  t.equal(report(), 1000);
  t.equal(report(), 1000);
  active = "2026-11-01T12:00:00.000Z";
  t.equal(report(), 2000);
  t.equal(report(), 2000);
});
