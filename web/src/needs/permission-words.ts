import { visibleName } from "@/session/markdown/visible.ts";

export interface PermissionOption {
  option: string;
  name?: string;
}

/** What the runner calls an answer; where it gives no name, its word as people write it. */
export function permissionWords({ option, name }: PermissionOption): string {
  const words = visibleName(name && name !== option ? name : option.replaceAll("_", " "));
  return words.charAt(0).toUpperCase() + words.slice(1);
}
