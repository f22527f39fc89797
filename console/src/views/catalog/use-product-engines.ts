import type { EngineRecord } from "@orchd/client";
import { useEffect } from "preact/hooks";
import { onEvents } from "../../live/events.ts";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { productCalls } from "../../session/clients.ts";

/** No event says that an engine has reloaded its catalog. */
const REFRESH_MS = 5000;
/** Events of many engines cause one read. */
const AFTER_EVENT_MS = 500;

/** The running engines of a product as the daemon knows them now: the fleet's own list is up to 15 s old. */
export function useProductEngines(productId: string): readonly EngineRecord[] {
  const { data, reload } = useResource(
    async (signal) => {
      const found: EngineRecord[] = [];
      for await (const engine of productCalls(productId).list({ state: "running", signal })) found.push(engine);
      return found;
    },
    [productId],
  );
  usePolling(reload, REFRESH_MS);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvents((events) => {
      if (!events.some(({ product_id, to, type }) => product_id === productId && (to !== null || isOfCatalog(type))))
        return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, AFTER_EVENT_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [productId]);
  return data ?? [];
}

const isOfCatalog = (type: string): boolean => type.startsWith("catalog.");
