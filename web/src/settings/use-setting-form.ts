import { type FormEvent, useState } from "react";
import { useMutation } from "urql";
import { hintOf, messageOf } from "@/lib/errors.ts";
import { type SettingData, UpdateSetting } from "./queries.ts";
import { takeSetting } from "./use-settings.ts";

/** A setting as text in a field. The server decides whether it is a good value. */
export function useSettingForm(setting: SettingData) {
  const saved = textOf(setting.value);
  const [draft, setDraft] = useState<string>();
  const [{ fetching, error }, update] = useMutation(UpdateSetting);

  const save = async (value: unknown) => {
    const { data, error } = await update({ name: setting.name, value });
    if (data?.updateSetting?.result) takeSetting(data.updateSetting.result);
    if (!error) setDraft(undefined);
  };

  return {
    text: draft ?? saved,
    setText: setDraft,
    changed: draft !== undefined && draft !== saved,
    saving: fetching,
    error: error && [messageOf(error), hintOf(error)].filter(Boolean).join(" "),
    save,
    submit: (event: FormEvent) => {
      event.preventDefault();
      save(parsed(setting.type, draft ?? saved));
    },
    cancel: () => setDraft(undefined),
  };
}

export const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** What is no number stays text: then the server says what it wants. */
function parsed(type: string, text: string): unknown {
  if (type !== "integer") return text;
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? text : number;
}
