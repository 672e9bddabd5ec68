import type { LucideIcon } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

export interface Command {
  /** Of its own on the page; where two have the same, the one that was registered last stands. */
  id: string;
  title: string;
  /** The heading that it stands under, in the palette and on the sheet. */
  group: string;
  /** "j", "?", "g s" (one after the other), "mod+k", "mod+Enter" (⌘, elsewhere Ctrl). Any of several. */
  keys?: string | string[];
  icon?: LucideIcon;
  /** For fingers only: on the sheet, but not in the palette. */
  keysOnly?: boolean;
  run: () => void;
}

export const EVERYWHERE = "Everywhere";
export const IN_SESSION = "In this session";

type Source = { current: readonly Command[] };

const SECOND_KEY_WITHIN_MS = 1000;

const sources = new Set<Source>();
const listeners = new Set<() => void>();
let listed: readonly Command[] = [];

function changed() {
  const byId = new Map<string, Command>();
  for (const { current } of sources) for (const command of current) byId.set(command.id, command);
  // Those of the page come after those of everywhere: where both have a key, the page's stands.
  listed = [...byId.values()].sort((a, b) => Number(b.group === EVERYWHERE) - Number(a.group === EVERYWHERE));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What can be done on this page now. */
export const useListedCommands = () => useSyncExternalStore(subscribe, () => listed);

/** While the component is there, its commands run by their keys, and stand in the palette and on the sheet. */
export function useCommands(commands: readonly Command[]) {
  const source = useRef(commands);
  // What they are called decides whether there is news; what they do is always the latest.
  const names = commands.map(({ id, title }) => `${id} ${title}`).join("\n");
  useLayoutEffect(() => {
    source.current = commands;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: told again when they are called otherwise
  useEffect(() => {
    sources.add(source);
    changed();
    return () => {
      sources.delete(source);
      changed();
    };
  }, [names]);
}

/** Runs the latest of that name, which may have been rendered anew since it was listed. */
export function runCommand(id: string) {
  let found: Command | undefined;
  for (const { current } of sources) found = current.find((command) => command.id === id) ?? found;
  found?.run();
}

export const keysOf = ({ keys }: Command): string[] => (typeof keys === "string" ? [keys] : (keys ?? []));

/** In a choice, too: its first letters choose. */
const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.role === "combobox" || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** A dialog or a menu that is open has the keyboard for itself. */
const isCovered = () => document.querySelector("[role=dialog],[role=alertdialog],[role=menu],[role=listbox]") !== null;

let first = { key: "", at: 0 };

/** Keys with ⌘ or Ctrl work everywhere, plain ones rest while somebody types. */
function onKeyDown(event: KeyboardEvent) {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const mod = event.metaKey || event.ctrlKey;
  if (!mod && (isTyping(event) || isCovered())) return;
  const key = mod ? `mod+${event.key}` : event.key;
  const before = Date.now() - first.at < SECOND_KEY_WITHIN_MS ? first.key : "";
  first = { key, at: Date.now() };
  const pressed = (wanted: string) => listed.findLast((command) => keysOf(command).includes(wanted));
  const command = (before && pressed(`${before} ${key}`)) || pressed(key);
  if (!command) return;
  event.preventDefault();
  first = { key: "", at: 0 };
  runCommand(command.id);
}

window.addEventListener("keydown", onKeyDown);

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
const NAMES: Record<string, string> = { mod: isApple ? "⌘" : "Ctrl", Enter: "⏎", ArrowDown: "↓", ArrowUp: "↑" };

/** As they are written on a key: "⌘ K", "g s". */
export const shownKeys = (keys: string) =>
  keys
    .split(/[+ ]/)
    .map((key) => NAMES[key] ?? (keys.startsWith("mod+") ? key.toUpperCase() : key))
    .join(" ");
