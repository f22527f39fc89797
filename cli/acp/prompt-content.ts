import type { ContentBlock } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import { basename } from "node:path";
import type { AttachmentPart, MessageContent } from "../../src/client/records.ts";

type Part = Exclude<MessageContent, string>[number];

/** The message of a prompt. The text of an embedded file is shown with its address; other files are attachments. */
export function messageOf(prompt: readonly ContentBlock[]): MessageContent {
  const parts = prompt.map(partOf);
  if (parts.length === 0) throw RequestError.invalidParams({ prompt: "expected at least one block" });
  return parts;
}

/** The text of a prompt that answers a question. */
export const textOf = (prompt: readonly ContentBlock[]): string =>
  prompt.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

function partOf(block: ContentBlock, index: number): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return file("image", { data: block.data, type: block.mimeType, name: block.uri });
    // The file is on the editor's machine: only its address reaches the agent.
    case "resource_link":
      return { type: "text", text: `[${block.title ?? block.name}](${block.uri})` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return { type: "text", text: `${resource.uri}\n\`\`\`\n${resource.text}\n\`\`\`` };
      return file("file", { data: resource.blob, type: resource.mimeType, name: resource.uri });
    }
    default:
      throw RequestError.invalidParams({ [`prompt.${index}.type`]: `${block.type} is not supported` });
  }
}

const file = (
  type: AttachmentPart["type"],
  given: {
    readonly data: string;
    readonly type?: string | null | undefined;
    readonly name?: string | null | undefined;
  },
): Part => {
  const name = basename(given.name ?? "");
  return {
    type,
    data: given.data,
    ...(name !== "" && { name }),
    ...(typeof given.type === "string" && { media_type: given.type }),
  };
};
