import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";

/** Where distributions have what programs trust. */
const SYSTEM_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];
const FILE = "trusted-certificates.pem";

/** Writes what tools trust: the system's certificates, the operator's, and the authority of this engine. Returns its path. */
export function writeTrusted(
  folder: string,
  { authority, extraCaCerts }: { readonly authority: string; readonly extraCaCerts: string | null },
): string {
  const system = SYSTEM_BUNDLES.map(textOf).find((text) => text !== null) ?? rootCertificates.join("\n");
  const extra = extraCaCerts === null ? null : textOf(extraCaCerts);
  const path = join(folder, FILE);
  writeFileSync(path, [system, extra ?? "", authority].join("\n"), { mode: 0o644 });
  return path;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
