import { createHash, createHmac } from "node:crypto";
import { DEFAULT_REGION } from "./provider-rules.ts";

/** An access key of AWS: `id:secret`, or `id:secret:session token` for temporary credentials. */
const ACCESS_KEY = /^(A[A-Z0-9]{15,}):([^:]+)(?::(.+))?$/s;
const SERVICE = "bedrock";

export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly sessionToken: string | null;
}

/** Null for a Bedrock API key, which is sent as it is. */
export function readAccessKey(apiKey: string): AccessKey | null {
  const [, id, secret, sessionToken = null] = ACCESS_KEY.exec(apiKey) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret, sessionToken };
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The headers that sign a request by AWS Signature Version 4, which covers the whole body. */
export function signRequest(
  { id, secret, sessionToken }: AccessKey,
  {
    url,
    body,
    region,
    now,
  }: { readonly url: URL; readonly body: Uint8Array; readonly region: string | null; readonly now: number },
): readonly (readonly [string, string])[] {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), region ?? DEFAULT_REGION, SERVICE, "aws4_request"];
  const signed = [
    ["host", url.host],
    ["x-amz-date", time],
    ...(sessionToken === null ? [] : [["x-amz-security-token", sessionToken] as const]),
  ] as const;
  const names = signed.map(([name]) => name).join(";");
  // The path is encoded once more than in the request, for every service but S3.
  const path = url.pathname.split("/").map(encoded).join("/");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = ["POST", path, "", lines, names, sha256(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(request)].join("\n");
  const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
  const signature = hmac(key, text).toString("hex");
  const credential = `${id}/${scope.join("/")}`;
  return [
    ...signed.slice(1),
    ["authorization", `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`],
  ];
}
