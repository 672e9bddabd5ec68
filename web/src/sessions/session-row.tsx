import { Link } from "@tanstack/react-router";
import { FileText, MessageSquare } from "lucide-react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { messageLine } from "@/lib/message-text.ts";
import { cn } from "@/lib/utils.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { SessionRowData } from "./queries.ts";
import { RosterDots } from "./roster-dots.tsx";
import { SessionState } from "./session-state.tsx";

/** Each row is one link, and j and k go from link to link. */
export const ROW_LINK = "data-session-link";

export function SessionRow({ session }: { session: SessionRowData }) {
  return (
    <li className="group relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-3 py-3 hover:bg-accent/60 has-[a:focus-visible]:bg-accent/60 sm:px-4 md:grid-cols-[5.5rem_minmax(0,1fr)_minmax(0,17rem)_8.5rem_6.5rem] md:items-center">
      <div className="order-1 flex items-center gap-3 md:order-none">
        <SessionState state={session.state} />
        <RosterDots session={session} className="md:hidden" />
      </div>
      <div className="order-3 col-span-2 min-w-0 md:order-none md:col-span-1">
        <h2 className="truncate text-sm font-medium">
          <Link
            to="/s/$ref"
            params={{ ref: session.ref }}
            {...{ [ROW_LINK]: "" }}
            className="outline-none after:absolute after:inset-0 after:rounded-sm focus-visible:after:ring-2 focus-visible:after:ring-ring focus-visible:after:ring-inset"
          >
            <bdi>{visibleName(session.title)}</bdi>
          </Link>
        </h2>
        <p className="truncate text-xs text-muted-foreground">
          <span className="font-mono">{session.ref}</span>
          {session.continues && (
            <span title="This session continues a concluded one">
              {" "}
              ↳ continues <span className="font-mono">{session.continues.ref}</span>
            </span>
          )}
          {session.description && (
            <span>
              {" "}
              · <bdi>{visibleName(session.description)}</bdi>
            </span>
          )}
        </p>
      </div>
      <LastMessage session={session} />
      <RosterDots session={session} className="hidden md:inline-flex" />
      <Figures session={session} />
    </li>
  );
}

function LastMessage({ session: { lastMessage } }: { session: SessionRowData }) {
  return (
    <p className="order-4 col-span-2 min-w-0 truncate text-xs text-muted-foreground md:order-none md:col-span-1">
      {lastMessage ? (
        <>
          {lastMessage.type === "chat" && lastMessage.postedBy && (
            <span className="text-foreground">
              <bdi>{visibleName(lastMessage.postedBy.teamName)}</bdi>:{" "}
            </span>
          )}
          <bdi className={cn(lastMessage.type === "system" && "italic")}>{messageLine(lastMessage.content)}</bdi>
        </>
      ) : (
        "Nothing said yet"
      )}
    </p>
  );
}

function Figures({ session }: { session: SessionRowData }) {
  return (
    <div className="order-2 flex items-center justify-end gap-3 text-xs text-muted-foreground tabular-nums md:order-none md:grid md:grid-cols-[auto_auto] md:gap-x-3 md:gap-y-0.5">
      <RelativeTime at={session.lastActivityAt} className="whitespace-nowrap md:col-span-2 md:justify-self-end" />
      <Figure icon={MessageSquare} value={String(session.lastSequence)} label="messages" />
      <Figure icon={FileText} value={`v${session.sessionDocVersion}`} label="document version" />
    </div>
  );
}

function Figure({ icon: Icon, value, label }: { icon: typeof FileText; value: string; label: string }) {
  return (
    <span className="inline-flex items-center gap-1 md:justify-self-end" title={`${value} ${label}`}>
      <Icon aria-hidden className="size-3" />
      {value}
      <span className="sr-only"> {label}</span>
    </span>
  );
}
