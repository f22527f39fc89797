import { SETTINGS } from "../../contract/settings/settings.ts";
import type { EnvironmentReader } from "../../shared/environment.ts";
import type { TracingSettings } from "../../shared/tracing/otlp-tracer.ts";

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
const SHARE = /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/;

/** The settings of tracing, by OpenTelemetry's names. Null without an endpoint. */
export function readTracing(read: EnvironmentReader): TracingSettings | null {
  const endpoint = read.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  const headers = readHeaders(read);
  const { values, fallback } = SETTINGS.OTEL_TRACES_SAMPLER.value;
  const sampler = read.choice("OTEL_TRACES_SAMPLER", values, fallback);
  const { value: protocol } = SETTINGS.OTEL_EXPORTER_OTLP_PROTOCOL;
  read.choice("OTEL_EXPORTER_OTLP_PROTOCOL", protocol.values, protocol.fallback);
  const share = read.text("OTEL_TRACES_SAMPLER_ARG", SETTINGS.OTEL_TRACES_SAMPLER_ARG.value.fallback);
  if (!SHARE.test(share)) read.problem(`OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1, got "${share}"`);
  if (endpoint === undefined) return null;
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    read.problem(
      "OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL that begins with http:// or https://, without a password",
    );
  return { endpoint, headers, sampleRatio: sampler === "parentbased_traceidratio" ? Number(share) : 1 };
}

/** `name=value` pairs, separated by commas, with percent-encoded values. Error messages do not show the values. */
function readHeaders(read: EnvironmentReader): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of read.text("OTEL_EXPORTER_OTLP_HEADERS", "").split(",").filter(Boolean)) {
    const [name = "", ...rest] = pair.split("=");
    const value = decoded(rest.join("=").trim());
    if (HEADER_NAME.test(name.trim()) && rest.length > 0 && value !== null) headers[name.trim()] = value;
    else read.problem("OTEL_EXPORTER_OTLP_HEADERS: expected name=value pairs, separated by commas, percent-encoded");
  }
  return headers;
}

function decoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text);
    return HEADER_VALUE.test(value) ? value : null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
