import { type IncomingMessage, type ServerResponse, createServer, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { ClusterAccess } from "../../src/orchestrator/fleet/kubernetes/cluster-access.ts";

/** What a proxy before the API does wrong. */
export interface Faults {
  /** Every connection is cut, also those that stand. */
  away: boolean;
  /** Watches end with 410, as when their version has expired. */
  expired: boolean;
  /** Events come twice. */
  twice: boolean;
  /** No event comes. */
  lost: boolean;
  /** Answers 500 after so many further calls that are no watch. -1 for never. */
  failAfter: number;
}

/** A proxy before the API of a cluster, which can do what networks and API servers do wrong. */
export async function faultyApi({ server, tls, token }: ClusterAccess) {
  const faults: Faults = { away: false, expired: false, twice: false, lost: false, failAfter: -1 };
  const watches = new Set<ServerResponse>();
  const proxy = createServer((request, response) => {
    const isWatch = request.url?.includes("watch=true") ?? false;
    if (faults.away) return request.socket.destroy();
    if (isWatch && faults.expired) return expire(response);
    if (!isWatch && faults.failAfter-- === 0) {
      return response.writeHead(500).end(JSON.stringify({ reason: "InternalError", message: "injected" }));
    }
    return pass(request, response, isWatch);
  });

  const pass = (request: IncomingMessage, response: ServerResponse, isWatch: boolean): void => {
    const send = server.startsWith("https:") ? httpsRequest : httpRequest;
    const { host: _, ...headers } = request.headers;
    const upstream = send(`${server}${request.url}`, { method: request.method, headers, ...tls });
    upstream.once("error", () => request.socket.destroy());
    // Also before the API answers: half a request would wait for its rest.
    response.once("close", () => upstream.destroy());
    upstream.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (!isWatch) return answer.pipe(response);
      watches.add(response);
      response.once("close", () => watches.delete(response));
      answer.on("data", (chunk: Buffer) => {
        // The events of these tests are whole in one chunk.
        if (!faults.lost) response.write(faults.twice ? Buffer.concat([chunk, chunk]) : chunk);
      });
      answer.once("end", () => response.end());
      return undefined;
    });
    request.pipe(upstream);
  };

  const expire = (response: ServerResponse): void => {
    const object = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`${JSON.stringify({ type: "ERROR", object })}\n`);
  };

  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const access: ClusterAccess = { server: `http://127.0.0.1:${port}`, namespace: null, tls: {}, token };
  return {
    access,
    faults,
    /** Ends the watches that stand, as a load balancer does. */
    cutWatches: () => {
      for (const watch of watches) watch.destroy();
    },
    goAway: () => {
      faults.away = true;
      proxy.closeAllConnections();
    },
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
