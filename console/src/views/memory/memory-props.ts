import type { EngineRecord } from "@orchd/client";

export interface MemoryProps {
  readonly engine: EngineRecord;
}
