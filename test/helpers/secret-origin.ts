import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Test } from "tap";

const tls = (name: string): string => resolve(import.meta.dirname, "../engine/model/tls", name);

/** The certificate of those who signed the origin's. */
export const ORIGIN_CA = tls("ca.pem");

export interface OriginRequest {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: string;
  readonly headers: Http2ServerRequest["headers"];
  /** As Latin 1, so that each character is a byte. */
  readonly body: string;
}

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse, received: OriginRequest) => void;

/** A TLS server that speaks HTTP/1.1 and HTTP/2. `answer` is called with the whole request; default: 200. */
export async function startOrigin(t: Test, { answer = (_, response) => response.end("ok") }: { answer?: Answer } = {}) {
  const requests: OriginRequest[] = [];
  const server = createSecureServer(
    { cert: readFileSync(tls("server.pem")), key: readFileSync(tls("server.key")), allowHTTP1: true },
    (request, response) => {
      buffer(request)
        .then((bytes) => {
          const body = bytes.toString("latin1");
          const { method, url, headers, httpVersion } = request;
          const received = { method, url, headers, httpVersion, body };
          requests.push(received);
          answer(request, response, received);
        })
        .catch(() => requests.push({ method: "cut", url: request.url, headers: {}, httpVersion: "", body: "" }));
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { host: `localhost:${port}`, address: `127.0.0.1:${port}`, port, url: `https://localhost:${port}`, requests };
}
