import { sendDocs, sendOpenApi } from "../../shared/http/interface-documents.ts";
import type { Call } from "./call.ts";

/** `folder` holds what the build made of the route table. */
export const documentRoutes = (folder: string) => ({
  openapi: async ({ response }: Pick<Call, "response">) => {
    await sendOpenApi(response, folder);
    return undefined;
  },
  docs: async ({ response }: Pick<Call, "response">) => {
    await sendDocs(response, folder);
    return undefined;
  },
});
