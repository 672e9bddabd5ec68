import { Bot, ChartGantt, FileText, ListChecks, type LucideIcon, MessagesSquare, Radar } from "lucide-react";
import { useState } from "react";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import type { Tab } from "./view.ts";

export const PANE_LOOKS: Record<Tab, { name: string; icon: LucideIcon }> = {
  feed: { name: "Feed", icon: MessagesSquare },
  now: { name: "Now", icon: Radar },
  work: { name: "Work", icon: ListChecks },
  doc: { name: "Document", icon: FileText },
  agents: { name: "Agents", icon: Bot },
  timeline: { name: "Timeline", icon: ChartGantt },
};

interface PaneTabsProps {
  tabs: readonly Tab[];
  tab: Tab;
  onTab: (tab: Tab) => void;
  pane: (tab: Tab, shown: boolean) => React.ReactNode;
  className?: string;
}

/** A pane that was looked at stays as it was left, with its place and its size, while another covers it. */
export function PaneTabs({ tabs, tab, onTab, pane, className = "" }: PaneTabsProps) {
  const [visited, setVisited] = useState<ReadonlySet<Tab>>(new Set([tab]));
  if (!visited.has(tab)) setVisited(new Set([...visited, tab]));
  return (
    <Tabs value={tab} onValueChange={(chosen) => onTab(chosen as Tab)} className={`gap-0 ${className}`}>
      <div className="flex h-10 shrink-0 items-center border-b px-2 max-sm:h-9">
        <TabsList aria-label="Panes" className="h-8 w-full bg-transparent p-0 sm:w-fit sm:gap-0.5">
          {tabs.map((name) => {
            const { name: word, icon: Icon } = PANE_LOOKS[name];
            return (
              <TabsTrigger
                key={name}
                value={name}
                className="h-8 px-1.5 max-sm:text-[13px] data-[state=active]:bg-accent data-[state=active]:shadow-none sm:px-2.5 dark:data-[state=active]:border-transparent dark:data-[state=active]:bg-accent"
              >
                <Icon aria-hidden="true" className="max-[899px]:hidden" />
                {word}
              </TabsTrigger>
            );
          })}
        </TabsList>
      </div>
      <div className="relative min-h-0 flex-1">
        {tabs
          .filter((name) => visited.has(name) || name === tab)
          .map((name) => (
            <TabsContent
              key={name}
              value={name}
              forceMount
              className="absolute inset-0 data-[state=inactive]:invisible data-[state=inactive]:[content-visibility:hidden]"
            >
              {pane(name, name === tab)}
            </TabsContent>
          ))}
      </div>
    </Tabs>
  );
}
