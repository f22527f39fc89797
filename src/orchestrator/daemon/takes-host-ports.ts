import type { Config } from "./config.ts";

/** By backend. Pods have addresses of their own; a container's port is published at one of the host. */
const TAKES_HOST_PORTS: Readonly<Record<Config["backend"], boolean>> = {
  process: true,
  docker: true,
  kubernetes: false,
};

/** Whether each engine has a port from `ORCH_PORT_MIN` to `ORCH_PORT_MAX`. */
export const takesHostPorts = ({ backend }: Pick<Config, "backend">): boolean => TAKES_HOST_PORTS[backend];
