/** Stands in for `@orchd/sandbox/sockets`: descriptors of the simulated machine. The caller is the holder. */
import type * as real from "../../../src/sandbox/sockets.ts";
import type { Process } from "../machine/process.ts";
import { world } from "../kernel/world.ts";

type Address = ReturnType<typeof real.socketAddress>;

const portOf = (address: NonNullable<Address>): number => address.bytes.readUInt16BE(2);

const holder = (): object => {
  const { actor } = world().scheduler;
  if (actor === null) throw new Error("nobody owns this descriptor");
  return actor;
};

export const nativeProblem = (): string | null => null;

export function socketAddress(_host: string, port: number): Address {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(port, 2);
  return { family: 2, bytes };
}

export function openListener(address: NonNullable<Address>, _backlog: number): number {
  const descriptor = world().machine.network.listen(portOf(address), holder());
  if (descriptor === null) throw Object.assign(new Error("bind: EADDRINUSE"), { code: "EADDRINUSE" });
  return descriptor;
}

export const listensOn = (descriptor: number, address: NonNullable<Address>): boolean =>
  world().machine.network.of(descriptor)?.port === portOf(address);

export function duplicate(descriptor: number): number {
  const { network } = world().machine;
  const socket = network.of(descriptor);
  if (socket === undefined) throw Object.assign(new Error("fcntl: EBADF"), { code: "EBADF" });
  return network.share(socket, holder());
}

export function copyDescriptor(pid: number, _descriptor: number): number {
  const { network, processes } = world().machine;
  const process: Process | undefined = processes.get(pid);
  const socket = process?.engine === undefined || process.engine === null ? undefined : network.at(process.engine.port);
  if (process === undefined || socket === undefined || !socket.holders.has(process))
    throw Object.assign(new Error("pidfd_getfd: EBADF"), { code: "EBADF" });
  return network.share(socket, holder());
}

export const closeDescriptor = (descriptor: number): void => world().machine.network.close(descriptor);

export const endLostPeers = (): void => undefined;
