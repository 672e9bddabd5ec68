import { Choice } from "@/components/choice.tsx";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Switch } from "@/components/ui/switch";
import type { SettingData } from "./queries.ts";
import { textOf, useSettingForm } from "./use-setting-form.ts";
import { wordsFor } from "./words.ts";

export function SettingRow({ setting }: { setting: SettingData }) {
  const form = useSettingForm(setting);
  const isDefault = textOf(setting.value) === textOf(setting.defaultValue);
  const { label, unit } = wordsFor(setting.name);
  return (
    <form
      onSubmit={form.submit}
      className="grid gap-x-8 gap-y-2 px-4 py-4 md:grid-cols-[minmax(0,1fr)_18rem] md:items-start"
    >
      <div className="min-w-0 space-y-1">
        <h4 className="text-sm font-medium">{label}</h4>
        <p className="text-sm text-pretty text-muted-foreground">{setting.description}</p>
        <p className="font-mono text-xs text-muted-foreground">{setting.name}</p>
      </div>
      <Field label={label} hideLabel error={form.error} hint={<Bounds setting={setting} />}>
        {(control) =>
          setting.type === "boolean" ? (
            <Switch {...control} checked={setting.value === true} disabled={form.saving} onCheckedChange={form.save} />
          ) : setting.choices ? (
            <Choice
              control={control}
              value={String(setting.value)}
              choices={setting.choices.filter((choice) => choice !== null)}
              disabled={form.saving}
              onChange={form.save}
            />
          ) : (
            <div className="flex items-center gap-1.5">
              <Input
                {...control}
                inputMode={setting.type === "integer" ? "numeric" : undefined}
                value={form.text}
                onChange={(event) => form.setText(event.target.value)}
                onKeyDown={(event) => event.key === "Escape" && form.cancel()}
                className="h-8 tabular-nums"
              />
              {unit && <span className="shrink-0 text-sm text-muted-foreground">{unit}</span>}
              {form.changed && (
                <Button type="submit" size="sm" disabled={form.saving}>
                  {form.saving ? "Saving…" : "Save"}
                </Button>
              )}
              {!form.changed && !isDefault && (
                <Button
                  size="sm"
                  variant="ghost"
                  disabled={form.saving}
                  type="button"
                  onClick={() => form.save(setting.defaultValue)}
                >
                  Reset
                </Button>
              )}
            </div>
          )
        }
      </Field>
    </form>
  );
}

function Bounds({ setting: { type, minimum, maximum, defaultValue } }: { setting: SettingData }) {
  if (type === "boolean") return <span>default {defaultValue === true ? "on" : "off"}</span>;
  const fallback =
    typeof defaultValue === "number" ? defaultValue.toLocaleString("en") : textOf(defaultValue) || "empty";
  const bounds =
    minimum != null && maximum != null ? ` · ${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}` : "";
  return (
    <span>
      default {fallback}
      {bounds}
    </span>
  );
}
