import { Link } from "@tanstack/react-router";
import { Bell, ChevronLeft, CirclePause, Plug } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { StateBadge } from "@/components/state-badge.tsx";
import { Button } from "@/components/ui/button";
import { useConnection } from "@/lib/connection.ts";
import { useMayBeNotified } from "@/needs/notify-choices.tsx";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import { ConnectionIndicator } from "@/shell/connection-indicator.tsx";
import { ActionsMenu } from "../actions/actions-menu.tsx";
import { useSession } from "../store/session-provider.tsx";
import { AboutSession } from "./about-session.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { OpenQuestions } from "./open-questions.tsx";
import { RosterButton } from "./roster-button.tsx";

const ConnectAgent = lazy(() => import("./connect-agent.tsx"));
const NotifyDialog = lazy(() => import("./notify-dialog.tsx"));

/** One line: how the session is, what it is called, who is here, what is asked, what can be done. */
export function SessionHeader() {
  const head = useSession((session) => session.head);
  const connection = useConnection();
  const [opened, setOpened] = useState<"connect" | "notify">();
  const connect = () => setOpened("connect");
  const notify = () => setOpened("notify");
  const close = () => setOpened(undefined);
  const mayBeNotified = useMayBeNotified();
  useCommands([
    { id: "session.connect", title: "Connect an agent", group: IN_SESSION, icon: Plug, run: connect },
    ...(mayBeNotified
      ? [{ id: "session.notify", title: "Notifications of this session", group: IN_SESSION, icon: Bell, run: notify }]
      : []),
  ]);
  return (
    <header className="flex h-10 shrink-0 items-center gap-1.5 border-b px-2 sm:h-12 sm:gap-2 sm:px-4">
      {/* Where the bar of the shell would take too much of the screen, this is the way back. */}
      <Button asChild variant="ghost" size="icon-sm" className="-mr-1 w-6 sm:hidden">
        <Link to="/" aria-label="All sessions">
          <ChevronLeft aria-hidden />
        </Link>
      </Button>
      {head.pausedAt ? <PausedBadge /> : <StateBadge state={head.state} />}
      <AboutSession />
      <div className="ml-auto flex shrink-0 items-center gap-0.5 sm:gap-1">
        {connection === "live" ? null : (
          <span className="sm:hidden">
            <ConnectionIndicator />
          </span>
        )}
        <NeedsYou />
        <OpenQuestions />
        <RosterButton />
        <Button
          size="sm"
          variant={head.status === "closed" ? "outline" : "default"}
          className="max-sm:hidden"
          onClick={connect}
        >
          <Plug aria-hidden /> <span className="max-lg:sr-only">Connect an agent</span>
        </Button>
        <ActionsMenu onConnect={connect} onNotify={mayBeNotified ? notify : undefined} />
      </div>
      <Suspense>
        {opened === "connect" ? <ConnectAgent onClose={close} /> : null}
        {opened === "notify" ? <NotifyDialog onClose={close} /> : null}
      </Suspense>
    </header>
  );
}

function PausedBadge() {
  return (
    <span className="inline-flex w-fit shrink-0 items-center gap-1 rounded-full border border-idle/50 bg-highlight px-2 py-px text-xs font-medium">
      <CirclePause aria-hidden className="size-3" /> paused
    </span>
  );
}
