/** The bundled server cannot be used; the message names the place and what to do. */
export class BundledPostgresError extends Error {
  override readonly name = "BundledPostgresError";
}
