import { readFile } from "node:fs/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

class CertificatesUnreadable extends Error {
  override readonly name = "CertificatesUnreadable";
}

/** Trusted by this process. */
let trusted: string | null = null;

/**
 * Adds a PEM bundle to the CA certificates of this process, for a provider behind a TLS-inspecting proxy.
 * `NODE_EXTRA_CA_CERTS` would add 40 ms to the boot of every engine.
 */
export async function trustCertificates(file: string): Promise<void> {
  if (trusted === file) return;
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CertificatesUnreadable(error.code ?? "unknown", { cause: error });
  });
  const bundle = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (bundle === null) throw new CertificatesUnreadable("the file has no PEM certificate");
  setDefaultCACertificates([...getCACertificates("default"), ...bundle]);
  trusted = file;
}
