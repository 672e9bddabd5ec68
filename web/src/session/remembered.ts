/** Storage may be switched off or full; the page works without it. */
export function remember(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {}
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
