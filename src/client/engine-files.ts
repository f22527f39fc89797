import * as routes from "./engine-routes.ts";
import { ANY_TYPE, type CallOptions, type Service, isStream, openStream, withRetries } from "./http-call.ts";
import { type Calls, type OptionsOf, type ParamsOf, type Route, requestOf } from "./route.ts";

export type FileBody = Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** A file whose bytes arrive. Reading them to the end, or leaving the loop, closes it. */
export interface OpenFile {
  /** `content-length`, `etag`, `content-type`. An archive, which is made as it is read, has neither length nor `etag`. */
  readonly headers: Headers;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The calls of the files of an engine's workspace. `addressOf` makes the address of a link. */
export const fileCalls = (service: Service, { call }: Calls, addressOf: (link: string) => string) => {
  const open = <Row extends Route>(route: Row, given: ParamsOf<Row> & CallOptions): Promise<OpenFile> => {
    const { signal = new AbortController().signal } = given;
    const request = { ...requestOf(route, given), signal, type: ANY_TYPE };
    return withRetries(service, request, () => openStream(service, request));
  };
  return {
    /** Lists a folder; without `path` the workspace. */
    list: (given: OptionsOf<typeof routes.listFiles> = {}) => call(routes.listFiles, given),

    /** Opens a file by its `path`, or a `range` of it; by `artifactId` a version that the agent has published. */
    read: (given: OptionsOf<typeof routes.readFile>) => open(routes.readFile, given),

    /** Writes a file. `ifMatch` and `ifNoneMatch` protect what others have written. A stream is sent only once. */
    write: (path: string, body: FileBody, given: Omit<OptionsOf<typeof routes.writeFile>, "path" | "body"> = {}) =>
      call(routes.writeFile, {
        ...given,
        path,
        body,
        repeatable: !isStream(body),
      }),

    /** Removes a file or an empty folder; with `recursive` a folder with what it contains. */
    remove: (path: string, given: Omit<OptionsOf<typeof routes.removeFile>, "path"> = {}) =>
      call(routes.removeFile, { ...given, path }),

    move: (from: string, to: string, given: Omit<OptionsOf<typeof routes.moveFile>, "from" | "to"> = {}) =>
      call(routes.moveFile, { ...given, from, to }),

    /** Opens a folder as one archive. */
    archive: (given: OptionsOf<typeof routes.archiveFiles> = {}) => open(routes.archiveFiles, given),

    /** A link that reads a file without a key until it expires. */
    async link(path: string, given: Omit<OptionsOf<typeof routes.linkFile>, "path"> = {}) {
      const made = await call(routes.linkFile, { ...given, path });
      return { ...made, url: addressOf(made.link) };
    },

    /** What the agent has published in a task, the newest first. */
    artifacts: (taskId: string, given: CallOptions = {}) => call(routes.listArtifacts, { ...given, taskId }),
  };
};
