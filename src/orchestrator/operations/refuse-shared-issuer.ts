import { hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";

const UNIQUE_VIOLATION = "23505";
const INDEX = "products_end_users";

/** Throws `InvalidInput` when another product has the issuer and audience. A unique index decides, also between concurrent calls. */
export async function refuseSharedIssuer<T>(field: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const isShared = hasCode(error, UNIQUE_VIOLATION) && error instanceof Error && "constraint" in error;
    if (isShared && error.constraint === INDEX)
      throw new InvalidInput(field, "another product has this issuer and audience");
    throw error;
  }
}
