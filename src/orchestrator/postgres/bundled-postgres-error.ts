/** The bundled server cannot be used. The message names the folder and what to do. */
export class BundledPostgresError extends Error {
  override readonly name = "BundledPostgresError";
}
