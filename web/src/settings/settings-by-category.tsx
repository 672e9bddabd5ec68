import type { SettingData } from "./queries.ts";
import { SettingRow } from "./setting-row.tsx";

/** In this order; one that the page does not know yet comes last, by its own name. */
const CATEGORIES: Record<string, string> = {
  rules: "Rules",
  people: "People",
  keys: "Keys",
  data: "Data",
  limits: "Limits",
};

export function SettingsByCategory({ settings }: { settings: SettingData[] }) {
  const categories = new Set([...Object.keys(CATEGORIES), ...settings.map(({ category }) => category)]);
  return (
    <div className="divide-y">
      {[...categories].map((category) => (
        <Category
          key={category}
          title={CATEGORIES[category] ?? category}
          settings={settings.filter((setting) => setting.category === category)}
        />
      ))}
    </div>
  );
}

function Category({ title, settings }: { title: string; settings: SettingData[] }) {
  if (settings.length === 0) return null;
  return (
    <section className="divide-y">
      <h3 className="bg-muted/50 px-4 py-2 text-xs font-medium text-muted-foreground first:rounded-t-lg">{title}</h3>
      {settings.map((setting) => (
        <SettingRow key={setting.name} setting={setting} />
      ))}
    </section>
  );
}
