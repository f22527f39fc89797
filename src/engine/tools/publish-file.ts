import * as z from "zod/mini";
import type { Artifact } from "../../contract/engine/file.ts";
import { PUBLISH_FILE } from "../../contract/engine/tool-names.ts";
import { MAX_TITLE_LENGTH } from "../../contract/engine/file-limits.ts";
import type { Tool } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { workspaceResource } from "./workspace-resource.ts";

export interface PublishedFile {
  /** The real path, relative to the workspace. */
  readonly path: string;
  readonly title: string;
  readonly taskId: string;
  readonly turnId: string;
}

/** What the tool publishes through. It throws `ToolFailed`. */
export interface Publisher {
  publish(file: PublishedFile): Promise<Artifact>;
}

const input = toolInput(
  z.object({
    path: z.string().check(z.minLength(1)),
    title: z.string().check(z.minLength(1), z.maxLength(MAX_TITLE_LENGTH)),
  }),
);

export const publishFile = (publisher: Publisher): Tool<{ path: string; title: string }> => ({
  name: PUBLISH_FILE,
  description:
    "Publishes the current content of a file of the workspace as a result for the user, with a title. Publish a file when it is complete. Publishing it again adds a version.",
  input,
  readOnly: false,
  permission: "allow",
  returns: "own",
  resources: () => [],
  reads: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  async run({ path, title }, { realPath, taskId, turnId }) {
    return publisher.publish({ path: realPath ?? path, title, taskId, turnId });
  },
});
