import { readFile } from "node:fs/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

export class CertificatesUnreadable extends Error {
  override readonly name = "CertificatesUnreadable";
}

/**
 * Makes the connections of this process trust a bundle of certificates besides those Node.js brings: a provider behind
 * an inspecting proxy. `NODE_EXTRA_CA_CERTS` would do the same, at the cost of 40 ms in the boot of every engine.
 */
export async function trustCertificates(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CertificatesUnreadable(error.code ?? "unknown", { cause: error });
  });
  const bundle = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (bundle === null) throw new CertificatesUnreadable("no certificate in it");
  setDefaultCACertificates([...getCACertificates("default"), ...bundle]);
}
