import { lazy, Suspense, useCallback, useState } from "react";
import { useDefaultLayout } from "react-resizable-panels";
import { ResizableHandle, ResizablePanel, ResizablePanelGroup } from "@/components/ui/resizable";
import { Skeleton } from "@/components/ui/skeleton";
import { sessionRoute } from "@/router.tsx";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import { DocPane } from "./doc/doc-pane.tsx";
import { sequenceInHash, useJumps } from "./jump.ts";
import { PANE_LOOKS, PaneTabs } from "./pane-tabs.tsx";
import { useSession } from "./store/session-provider.tsx";
import { useNarrow } from "./use-narrow.ts";
import { useShow } from "./use-show.ts";
import { PANES, TABS, type Tab } from "./view.ts";
import { TaskList } from "./work/task-list.ts";

const AgentsPane = lazy(() => import("./agents/agents-pane.tsx"));
const NowPane = lazy(() => import("./now/now-pane.tsx"));
const WorkPane = lazy(() => import("./work/work-pane.tsx"));
const Timeline = lazy(() => import("./timeline/timeline.tsx"));

/** The feed, and beside it what it comes to: side by side, or where that does not fit, one at a time. */
export function SessionPanes({ feed }: { feed: React.ReactNode }) {
  const narrow = useNarrow();
  const { id, closed } = useSession(({ head }) => ({ id: head.id, closed: head.status === "closed" }));
  const [tasks] = useState(() => new TaskList(id));
  const [tab, setTab] = useTab(narrow, closed);
  usePaneCommands(setTab);
  const paneOf = (name: Tab, shown: boolean) => {
    switch (name) {
      case "feed":
        return feed;
      case "now":
        return <NowPane shown={shown} />;
      case "work":
        return <WorkPane list={tasks} shown={shown} />;
      case "doc":
        return <DocPane shown={shown} />;
      case "agents":
        return <AgentsPane shown={shown} />;
      case "timeline":
        return <Timeline shown={shown} />;
    }
  };
  const pane = (name: Tab, shown: boolean) => (
    <Suspense fallback={<Skeleton className="m-4 h-24" />}>{paneOf(name, shown)}</Suspense>
  );
  return narrow ? (
    <PaneTabs tabs={TABS} tab={tab} onTab={setTab} pane={pane} className="min-h-0 flex-1" />
  ) : (
    <SideBySide feed={pane("feed", true)}>
      <PaneTabs tabs={PANES} tab={tab} onTab={setTab} pane={pane} className="h-full" />
    </SideBySide>
  );
}

/** Each pane by its number, from left to right. */
function usePaneCommands(setTab: (tab: Tab) => void) {
  useCommands(
    PANES.map((pane, index) => ({
      id: `pane.${pane}`,
      title: `Show ${PANE_LOOKS[pane].name}`,
      group: IN_SESSION,
      keys: `${index + 1}`,
      icon: PANE_LOOKS[pane].icon,
      run: () => setTab(pane),
    })),
  );
}

/** The pane that is in sight: chosen, or the one that fits who comes without having chosen. */
function useTab(narrow: boolean, closed: boolean): [Tab, (tab: Tab) => void] {
  const { q, team, kind, tab: chosen } = sessionRoute.useSearch();
  const show = useShow();
  // Who comes when all is said wants to know how it ended, unless the address leads into the feed.
  const [first] = useState<Tab>(() => (closed && !(sequenceInHash() || q || team || kind) ? "doc" : "feed"));
  const setTab = useCallback((tab: Tab) => void show({ tab }), [show]);
  useJumps(useCallback(() => narrow && setTab("feed"), [narrow, setTab]));
  const tab = chosen ?? first;
  return [narrow || tab !== "feed" ? tab : "doc", setTab];
}

function SideBySide({ feed, children }: { feed: React.ReactNode; children: React.ReactNode }) {
  const remembered = useDefaultLayout({ id: "parley.panes", storage: localStorage });
  return (
    <ResizablePanelGroup className="min-h-0 flex-1" {...remembered}>
      <ResizablePanel id="feed" minSize="25%" defaultSize="55%">
        {feed}
      </ResizablePanel>
      <ResizableHandle withHandle aria-label="Width of the feed" />
      <ResizablePanel id="doc" minSize="25%">
        {children}
      </ResizablePanel>
    </ResizablePanelGroup>
  );
}
