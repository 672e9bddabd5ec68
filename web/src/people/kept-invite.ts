const KEPT = "parley-invite";

export const isInvitation = (path: string) => path.includes("#invite=");

/** While somebody is at the provider: the way there and back is written down by servers, and an invitation is none of their business. */
export function keepInvite(path: string): void {
  if (isInvitation(path)) sessionStorage.setItem(KEPT, path);
}

/** The one that was kept for this page; it is given once. */
export function takeKeptInvite(): string | null {
  const [path, invite = null] = sessionStorage.getItem(KEPT)?.split("#invite=") ?? [];
  if (path !== location.pathname + location.search) return null;
  sessionStorage.removeItem(KEPT);
  return invite;
}
