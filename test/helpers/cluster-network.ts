import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Test } from "tap";
import { bridgeAddress } from "../../src/orchestrator/fleet/docker/bridge-address.ts";
import type { KubeApi } from "../../src/orchestrator/fleet/kubernetes/kube-api.ts";
import { delay } from "../../src/shared/clock.ts";

const POLL_MS = 200;

export interface ChartPod {
  readonly name: string;
  readonly ip: string;
  readonly isReady: boolean;
  /** The id of its container at the Docker engine. */
  readonly container: string | null;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
    readonly status: {
      readonly podIP?: string;
      readonly containerStatuses?: readonly { readonly containerID?: string }[];
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

/** The pods of the chart's daemons that are not being deleted. */
export const daemonPods = (api: KubeApi, namespace: string): Promise<readonly ChartPod[]> =>
  chartPods(api, namespace, "daemon");

/** The same of a component, such as `broker`. */
export async function chartPods(api: KubeApi, namespace: string, component: string): Promise<readonly ChartPod[]> {
  const query = { labelSelector: `app.kubernetes.io/component=${component}` };
  const { items } = (await api.call("GET", `/api/v1/namespaces/${namespace}/pods`, { query })) as PodList;
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { name }, status: { podIP = "", conditions = [], containerStatuses = [] } }) => ({
      name,
      ip: podIP,
      container: containerStatuses[0]?.containerID?.replace("docker://", "") ?? null,
      isReady: conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    }));
}

/** The address of this machine that containers of its Docker engine reach. */
export async function addressForPods(socketPath: string): Promise<string> {
  const address = await bridgeAddress({ socketPath });
  if (address === null) throw new Error("the Docker engine has no bridge");
  return address;
}

/** Passes connections on to where `target` says, one after the other. Gives its port. */
export async function forward(
  t: Test,
  { host = "127.0.0.1", port = 0 }: { readonly host?: string; readonly port?: number },
  target: () => { readonly host: string; readonly port: number } | { readonly path: string } | undefined,
): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const to = target();
    if (to === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(to);
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.once("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(port, host);
  await once(server, "listening");
  t.teardown(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Does what a Service does where the cluster has no proxy for them: leads to the pods of a component that are ready. */
export async function podService(
  t: Test,
  api: KubeApi,
  {
    namespace,
    component,
    podPort,
    listen = {},
  }: {
    readonly namespace: string;
    readonly component: string;
    readonly podPort: number;
    readonly listen?: { readonly host?: string; readonly port?: number };
  },
): Promise<{ readonly port: number; readonly called: ReadonlySet<string> }> {
  const ended = new AbortController();
  const called = new Set<string>();
  let ready: readonly ChartPod[] = [];
  let next = 0;
  const watching = (async () => {
    do {
      const found = await chartPods(api, namespace, component).catch(() => []);
      ready = found.filter(({ isReady }) => isReady);
    } while (await delay(POLL_MS, ended.signal));
  })();
  t.teardown(() => {
    ended.abort();
    return watching;
  });
  const port = await forward(t, listen, () => {
    const pod = ready[next++ % ready.length];
    if (pod !== undefined) called.add(pod.name);
    return pod && { host: pod.ip, port: podPort };
  });
  return { port, called };
}
