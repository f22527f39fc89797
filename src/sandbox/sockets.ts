/** `@orchd/sandbox/sockets`: listening sockets, messages with descriptors, and the calls of the C library below them. */
export {
  closeInPrograms,
  copyDescriptor,
  duplicate,
  listensOn,
  openListener,
  socketAddress,
} from "./sockets/listening-sockets.ts";
export { endLostPeers } from "./sockets/lost-peers.ts";
export { type SocketMessage, openSocketPair, receiveMessage, sendMessage } from "./sockets/socket-messages.ts";
export { sendDatagram } from "./sockets/unix-datagram.ts";
export { closeDescriptor } from "./processes/process-limits.ts";
export { canCopyDescriptors, canReadMemory } from "./processes/other-process.ts";
export { SystemCallFailed, callNative, nativeProblem } from "./system/system-calls.ts";
