import type { SettingData } from "./queries.ts";
import { Section } from "./section.tsx";
import { SettingRow } from "./setting-row.tsx";
import { GROUPS, inOrder, wordsFor } from "./words.ts";

export function SettingsByGroup({ settings }: { settings: SettingData[] }) {
  const names = new Set([...Object.keys(GROUPS), ...settings.map(({ category }) => category)]);
  return [...names].map((name) => (
    <Group key={name} name={name} settings={inOrder(settings.filter(({ category }) => category === name))} />
  ));
}

function Group({ name, settings }: { name: string; settings: SettingData[] }) {
  if (settings.length === 0) return null;
  const { title, about } = GROUPS[name] ?? { title: name, about: "" };
  const parts = Map.groupBy(settings, (setting) => wordsFor(setting.name).part ?? "");
  return (
    <Section id={name} title={title} about={about}>
      <div className="divide-y">
        {[...parts].map(([part, own]) => (
          <div key={part} className="divide-y">
            {part && <h3 className="bg-muted/50 px-4 py-2 text-xs font-medium text-muted-foreground">{part}</h3>}
            {own.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </div>
        ))}
      </div>
    </Section>
  );
}
