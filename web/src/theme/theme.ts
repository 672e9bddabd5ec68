import { useSyncExternalStore } from "react";

export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

/** The same key as in public/theme.js, which sets the class before the first paint. */
const KEY = "parley:theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === value) ?? "system";
}

function apply() {
  const theme = stored();
  const dark = theme === "dark" || (theme === "system" && systemIsDark.matches);
  document.documentElement.classList.toggle("dark", dark);
  for (const listener of listeners) listener();
}

systemIsDark.addEventListener("change", apply);
window.addEventListener("storage", ({ key }) => key === KEY && apply());

export function setTheme(theme: Theme) {
  localStorage.setItem(KEY, theme);
  apply();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useTheme() {
  return { theme: useSyncExternalStore(subscribe, stored), setTheme };
}
