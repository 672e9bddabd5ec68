import { TriangleAlert } from "lucide-react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { addressOf } from "@/connect/use-address.ts";
import { warningFor } from "./link-warning.ts";
import type { SettingData } from "./queries.ts";
import { useSettingForm } from "./use-setting-form.ts";

/** The one link that agents connect to, in use everywhere on this server. */
export function McpLink({ setting }: { setting: SettingData }) {
  const form = useSettingForm(setting);
  const { mcp } = addressOf(setting.value);
  const warning = warningFor(mcp);
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="flex items-center gap-1 rounded-md border bg-muted py-0.5 pr-0.5 pl-3">
        <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{mcp}</code>
        <CopyButton value={mcp} label="Copy the MCP link" />
      </div>
      {warning && (
        <p className="flex gap-2 rounded-md border border-idle/50 bg-idle/10 px-3 py-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-idle-foreground" />
          {warning}
        </p>
      )}
      <form onSubmit={form.submit}>
        <Field label="Change the link" hint={setting.description} error={form.error}>
          {(control) => (
            <div className="flex flex-wrap gap-2">
              <Input
                {...control}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder={`${location.origin}/mcp`}
                value={form.text}
                onChange={(event) => form.setText(event.target.value)}
                onKeyDown={(event) => event.key === "Escape" && form.cancel()}
                className="min-w-0 flex-1 basis-56 font-mono text-[13px]"
              />
              <Button type="submit" disabled={!form.changed || form.saving}>
                {form.saving ? "Saving…" : "Save"}
              </Button>
              {setting.value !== "" && (
                <Button type="button" variant="ghost" disabled={form.saving} onClick={() => form.save("")}>
                  Clear
                </Button>
              )}
            </div>
          )}
        </Field>
      </form>
    </div>
  );
}
