import type { HostCheck } from "./host.ts";

export const passed = (name: string, message: string): HostCheck => ({ name, status: "ok", message, fix: null });
export const warned = (name: string, message: string, fix: string): HostCheck => ({
  name,
  status: "warning",
  message,
  fix,
});
export const failed = (name: string, message: string, fix: string): HostCheck => ({
  name,
  status: "problem",
  message,
  fix,
});
