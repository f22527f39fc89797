import { once } from "node:events";
import { type IncomingHttpHeaders, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

type Value = {
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: object;
};

/** A span as the collector received it, its attributes as plain values. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly status?: { readonly code: number };
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly endpoint: string;
  readonly spans: CollectedSpan[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** The status and body of the next answers; 200 when there are none left. */
  readonly answers: (readonly [status: number, body: string])[];
}

/** An OTLP collector for traces in JSON over HTTP. */
export async function startCollector(t: Test): Promise<Collector> {
  const collector: Omit<Collector, "endpoint"> = { spans: [], requests: [], answers: [] };
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    collector.requests.push({ path: request.url ?? "", headers: request.headers, body });
    const [status, text] = collector.answers.shift() ?? [200, "{}"];
    if (status === 200) collector.spans.push(...spansOf(body));
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...collector, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}
type KeyValue = { readonly key: string; readonly value: Value };
type SentSpan = Omit<CollectedSpan, "attributes" | "events" | "resource"> & {
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly { readonly name: string }[];
};

function spansOf(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as Sent;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        events: (span.events ?? []).map(({ name }) => name),
        resource: plain(resource.attributes),
      })),
    ),
  );
}

const plain = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { intValue, ...value } }) => [
      key,
      intValue === undefined ? Object.values(value)[0] : Number(intValue),
    ]),
  );
