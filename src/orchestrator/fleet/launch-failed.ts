/** Clients may read the message. Paths of this machine are only in its `cause`. */
export class LaunchFailed extends Error {
  override readonly name: string = "LaunchFailed";
}

/** The engine's folder belongs to somebody else, and its owner cannot be changed. */
export class FolderUnusable extends LaunchFailed {
  override readonly name = "FolderUnusable";
}

/** Another program listens on the engine's port. A launch on another port may succeed. */
export class PortTaken extends LaunchFailed {}
