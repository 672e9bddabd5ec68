import { ChevronRight, Search } from "lucide-react";
import { useState } from "react";
import { Input } from "@/components/ui/input";
import type { SettingData } from "./queries.ts";
import { Section } from "./section.tsx";
import { SettingRow } from "./setting-row.tsx";
import { textOf } from "./use-setting-form.ts";
import { GROUPS, inOrder, wordsFor } from "./words.ts";

export function SettingsByGroup({ settings }: { settings: SettingData[] }) {
  const [words, setWords] = useState("");
  const sought = words.trim().toLowerCase();
  const found = settings.filter(({ name, description }) =>
    [wordsFor(name).label, name, description].join(" ").toLowerCase().includes(sought),
  );
  const names = new Set([...Object.keys(GROUPS), ...settings.map(({ category }) => category)]);
  return (
    <>
      <search className="relative -mb-4">
        <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-muted-foreground" />
        <Input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setWords("")}
          className="h-8 pl-8"
        />
      </search>
      {found.length === 0 ? <p className="text-sm text-muted-foreground">No setting is called so.</p> : null}
      {[...names].map((name) => (
        <Group
          key={name}
          name={name}
          settings={inOrder(found.filter(({ category }) => category === name))}
          searching={sought !== ""}
        />
      ))}
    </>
  );
}

function Group({ name, settings, searching }: { name: string; settings: SettingData[]; searching: boolean }) {
  if (settings.length === 0) return null;
  const { title, about, folded = false } = GROUPS[name] ?? { title: name, about: "" };
  const parts = Map.groupBy(settings, (setting) => wordsFor(setting.name).part ?? "");
  return (
    <Section id={name} title={title} about={about}>
      <div className="divide-y">
        {[...parts].map(([part, own]) =>
          folded && part && !searching ? (
            <FoldedPart key={part} part={part} settings={own} />
          ) : (
            <div key={part} className="divide-y">
              {part && <h3 className="bg-muted/50 px-4 py-2 text-xs font-medium text-muted-foreground">{part}</h3>}
              {own.map((setting) => (
                <SettingRow key={setting.name} setting={setting} />
              ))}
            </div>
          ),
        )}
      </div>
    </Section>
  );
}

const isChanged = ({ value, defaultValue }: SettingData) => textOf(value) !== textOf(defaultValue);

/** What few servers need is one line until somebody wants it; that something is not as it came can be seen from outside. */
function FoldedPart({ part, settings }: { part: string; settings: SettingData[] }) {
  const changed = settings.filter(isChanged).length;
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none items-center gap-2 px-4 py-2.5 text-sm outline-none hover:bg-accent/50 focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 text-muted-foreground group-open:rotate-90" />
        <h3 className="font-medium">{part}</h3>
        <span className="ml-auto text-xs text-muted-foreground">
          {settings.length} settings
          {changed > 0 ? <span className="font-medium text-foreground">, {changed} changed</span> : null}
        </span>
      </summary>
      <div className="divide-y border-t">
        {settings.map((setting) => (
          <SettingRow key={setting.name} setting={setting} />
        ))}
      </div>
    </details>
  );
}
