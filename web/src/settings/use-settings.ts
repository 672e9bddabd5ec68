import type { CombinedError } from "@urql/core";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { ask } from "@/lib/ask.ts";
import { listen } from "@/lib/live.ts";
import { type SettingData, SettingsChanged, SettingsQuery } from "./queries.ts";

let known: readonly SettingData[] | undefined;
const listeners = new Set<() => void>();

function take(settings: readonly SettingData[]) {
  known = settings;
  for (const listener of listeners) listener();
}

/** What the server has answered to a change is seen at once; others are told by the subscription. */
export function takeSetting(changed: SettingData) {
  if (known) take(known.map((setting) => (setting.name === changed.name ? changed : setting)));
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The settings as they are, wherever they are changed. */
export function useSettings() {
  const settings = useSyncExternalStore(subscribe, () => known);
  const [error, setError] = useState<CombinedError>();
  const read = useCallback(async () => {
    const { data, error } = await ask(SettingsQuery, {});
    setError(error);
    if (data?.settings) take(data.settings.nodes);
  }, []);
  useEffect(() => {
    void read();
    return listen(SettingsChanged, {}, (frame) => {
      const settings = frame.settingsChanged?.query.settings;
      if (settings) take(settings.nodes);
    });
  }, [read]);
  return { settings, error, read };
}
