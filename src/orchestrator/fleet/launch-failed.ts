/** Clients may read the message. Paths of this machine are only in its `cause`. */
export class LaunchFailed extends Error {
  override readonly name: string = "LaunchFailed";
}

/** The engine's files belong to somebody else, and their owner cannot be changed. */
export class StorageUnusable extends LaunchFailed {
  override readonly name = "StorageUnusable";
}

/** Another program listens on the engine's port. A launch on another port may succeed. */
export class PortTaken extends LaunchFailed {}
