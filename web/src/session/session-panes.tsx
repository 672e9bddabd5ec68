import { useCallback, useState } from "react";
import { useDefaultLayout } from "react-resizable-panels";
import { ResizableHandle, ResizablePanel, ResizablePanelGroup } from "@/components/ui/resizable";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { DocPane } from "./doc/doc-pane.tsx";
import { Feed } from "./feed/feed.tsx";
import { useJumps } from "./jump.ts";
import { useNarrow } from "./use-narrow.ts";
import type { LiveSession } from "./use-session.ts";

export function SessionPanes({ session }: { session: LiveSession }) {
  const narrow = useNarrow();
  const { head, participants, newest } = session;
  const feed = <Feed key={head.id} head={head} participants={participants} newest={newest} />;
  const doc = <DocPane key={head.id} head={head} text={session.doc} />;
  return narrow ? (
    <InTabs feed={feed} doc={doc} version={head.sessionDocVersion} />
  ) : (
    <SideBySide feed={feed} doc={doc} />
  );
}

function SideBySide({ feed, doc }: { feed: React.ReactNode; doc: React.ReactNode }) {
  const remembered = useDefaultLayout({ id: "parley.panes", storage: localStorage });
  return (
    <ResizablePanelGroup className="min-h-0 flex-1" {...remembered}>
      <ResizablePanel id="feed" minSize="25%" defaultSize="55%">
        {feed}
      </ResizablePanel>
      <ResizableHandle withHandle aria-label="Width of the feed" />
      <ResizablePanel id="doc" minSize="25%">
        {doc}
      </ResizablePanel>
    </ResizablePanelGroup>
  );
}

function InTabs({ feed, doc, version }: { feed: React.ReactNode; doc: React.ReactNode; version: number }) {
  const [tab, setTab] = useState("feed");
  useJumps(useCallback(() => setTab("feed"), []));
  return (
    <Tabs value={tab} onValueChange={setTab} className="min-h-0 flex-1 gap-0">
      <TabsList className="mx-3 mt-2 grid w-auto grid-cols-2">
        <TabsTrigger value="feed">Feed</TabsTrigger>
        <TabsTrigger value="doc">Document{version > 0 ? ` v${version}` : ""}</TabsTrigger>
      </TabsList>
      <TabsContent value="feed" className="min-h-0">
        {feed}
      </TabsContent>
      <TabsContent value="doc" className="min-h-0">
        {doc}
      </TabsContent>
    </Tabs>
  );
}
