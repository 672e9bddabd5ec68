import { lazy, Suspense, useCallback, useState } from "react";
import { useDefaultLayout } from "react-resizable-panels";
import { ResizableHandle, ResizablePanel, ResizablePanelGroup } from "@/components/ui/resizable";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { sessionRoute } from "@/router.tsx";
import { DocPane } from "./doc/doc-pane.tsx";
import { Feed } from "./feed/feed.tsx";
import { jumpTo, sequenceInHash, useJumps } from "./jump.ts";
import { useNarrow } from "./use-narrow.ts";
import type { LiveSession } from "./use-session.ts";

const DigestPanel = lazy(() => import("./digest/digest-panel.tsx"));

/** What stands beside the feed. */
export type Panel = "doc" | "digest";
type Tab = Panel | "feed";

interface SessionPanesProps {
  session: LiveSession;
  panel: Panel;
  onPanel: (panel: Panel) => void;
}

export function SessionPanes({ session, panel, onPanel }: SessionPanesProps) {
  const narrow = useNarrow();
  const { head, participants, newest, lineage } = session;
  const { q, team, kind } = sessionRoute.useSearch();
  const inFeed = sequenceInHash() || q || team || kind;
  // Who comes when all is said wants to know how it ended, unless the address leads into the feed.
  const [tab, setTab] = useState<Tab>(head.status === "closed" && !inFeed ? "doc" : "feed");
  const [pinned, setPinned] = useState<number>();
  const showVersion = (version: number) => {
    setPinned(version === head.sessionDocVersion ? undefined : version);
    setTab("doc");
    onPanel("doc");
  };
  const feed = <Feed key={head.id} head={head} participants={participants} newest={newest} />;
  const doc = (
    <DocPane
      key={head.id}
      head={head}
      text={session.doc}
      pinned={pinned}
      onPin={setPinned}
      continuations={lineage.continuations}
    />
  );
  const digest = (
    <Suspense fallback={<Skeleton className="m-4 h-24" />}>
      <DigestPanel
        head={head}
        participants={participants}
        onJump={jumpTo}
        onVersion={showVersion}
        onClose={narrow ? undefined : () => onPanel("doc")}
      />
    </Suspense>
  );
  return narrow ? (
    <InTabs panes={{ feed, doc, digest }} version={head.sessionDocVersion} tab={tab} onTab={setTab} />
  ) : (
    <SideBySide feed={feed}>
      {/* The document keeps its view and its place while the digest covers it. */}
      <div className={panel === "doc" ? "h-full" : "hidden"}>{doc}</div>
      {panel === "digest" ? digest : null}
    </SideBySide>
  );
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

interface InTabsProps {
  panes: Record<Tab, React.ReactNode>;
  version: number;
  tab: Tab;
  onTab: (tab: Tab) => void;
}

function InTabs({ panes, version, tab, onTab }: InTabsProps) {
  useJumps(useCallback(() => onTab("feed"), [onTab]));
  return (
    <Tabs value={tab} onValueChange={(chosen) => onTab(chosen as Tab)} className="min-h-0 flex-1 gap-0">
      <TabsList className="mx-3 mt-2 grid w-auto grid-cols-3">
        <TabsTrigger value="feed">Feed</TabsTrigger>
        <TabsTrigger value="doc">Document{version > 0 ? ` v${version}` : ""}</TabsTrigger>
        <TabsTrigger value="digest">Digest</TabsTrigger>
      </TabsList>
      {Object.entries(panes).map(([name, pane]) => (
        <TabsContent key={name} value={name} className="min-h-0">
          {pane}
        </TabsContent>
      ))}
    </Tabs>
  );
}
