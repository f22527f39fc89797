import type { MessagePart } from "../../../contract/engine/message-content.ts";
import type { EngineCalls } from "../engine-calls.ts";

/** A file of a message, from a data URL or base64. */
export function fileOf(
  calls: EngineCalls,
  { data, name, type }: { readonly data: unknown; readonly name?: unknown; readonly type: "image" | "file" },
  field: string,
): MessagePart {
  if (typeof data !== "string" || data === "")
    throw calls.error(
      "INVALID_REQUEST",
      `${field}: required, expected a data URL; files of an upload are not supported`,
    );
  // An engine fetches no addresses that a message names.
  if (/^https?:/i.test(data)) throw calls.error("INVALID_REQUEST", `${field}: not supported, expected a data URL`);
  const [, mediaType, encoded] = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(data) ?? [null, null, data];
  return {
    type,
    data: encoded ?? "",
    ...(mediaType && { media_type: mediaType }),
    ...(typeof name === "string" && name !== "" && { name }),
  };
}
