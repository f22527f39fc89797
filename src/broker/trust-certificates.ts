import { readFile } from "node:fs/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

/** Named as in an engine, which tells it from the failures of a provider. */
class CertificatesUnreadable extends Error {
  override readonly name = "CertificatesUnreadable";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Adds a PEM bundle to the CA certificates of this process, for a provider behind a TLS-inspecting proxy. */
export async function trustCertificates(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CertificatesUnreadable("the file cannot be read", error.code);
  });
  const bundle = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (bundle === null) throw new CertificatesUnreadable("the file has no PEM certificate");
  setDefaultCACertificates([...getCACertificates("default"), ...bundle]);
}
