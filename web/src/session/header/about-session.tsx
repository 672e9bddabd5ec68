import { Link } from "@tanstack/react-router";
import { Info } from "lucide-react";
import { useEffect, useState } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { ask } from "@/lib/ask.ts";
import { graphql } from "@/lib/graphql.ts";
import { full } from "../format.ts";
import { LineageLinks } from "../lineage/lineage-links.tsx";
import { LineageTree } from "../lineage/lineage-tree.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { visibleName } from "../markdown/visible.ts";
import { useSession } from "../store/session-provider.tsx";
import { useFlash } from "../use-flash.ts";

const BoardQuery = graphql("query BoardOf($id: UUID!) { session(id: $id) { placement { zone board { slug name } } } }");

const SEEN_BY: Record<string, string> = {
  everyone: "everyone on this server",
  members: "its members, its teams and owners",
};

/** The title; and behind it what the session is for, how it is called and where it comes from. */
export function AboutSession() {
  const head = useSession((session) => session.head);
  const title = useFlash<HTMLHeadingElement>(head.title);
  return (
    <Popover>
      <h1 ref={title} className="min-w-0 rounded font-semibold">
        <PopoverTrigger
          title={visibleName(head.title)}
          className="flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md outline-none focus-visible:ring-[3px] focus-visible:ring-ring/50"
        >
          <bdi className="min-w-0 truncate">{visibleName(head.title)}</bdi>
          <Info aria-hidden className="size-3.5 shrink-0 text-muted-foreground max-sm:hidden" />
        </PopoverTrigger>
      </h1>
      <PopoverContent
        align="start"
        aria-label="About this session"
        className="max-h-[70vh] w-[28rem] max-w-[calc(100vw-1.5rem)] overflow-y-auto text-sm"
      >
        <About />
      </PopoverContent>
    </Popover>
  );
}

function About() {
  const head = useSession((session) => session.head);
  const lineage = useSession((session) => session.lineage);
  const placement = usePlacement(head.id);
  return (
    <>
      <h2 className="font-medium break-words">
        <bdi>{visibleName(head.title)}</bdi>
      </h2>
      {head.description.trim() ? (
        <div className="mt-1 max-h-[40vh] overflow-y-auto">
          <Markdown text={head.description} />
        </div>
      ) : (
        <p className="mt-1 text-muted-foreground">It has no description.</p>
      )}
      <dl className="mt-3 grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1 text-xs [&_dt]:text-muted-foreground">
        <dt>ref</dt>
        <dd className="flex items-center gap-1">
          <code>{head.ref}</code>
          <CopyButton value={head.ref} label="Copy the ref" className="size-6" />
        </dd>
        <dt>seen by</dt>
        <dd>{SEEN_BY[head.visibility] ?? head.visibility}</dd>
        <dt>people</dt>
        <dd>{head.mode === "read_only" ? "only read" : "may write"}</dd>
        <dt>created</dt>
        <dd>{full(head.createdAt)}</dd>
        {head.closedAt ? (
          <>
            <dt>concluded</dt>
            <dd>{full(head.closedAt)}</dd>
          </>
        ) : null}
        {placement?.board ? (
          <>
            <dt>board</dt>
            <dd>
              {visibleName(placement.board.name)}, {visibleName(placement.zone)}
            </dd>
          </>
        ) : null}
        {lineage.continues || lineage.continuations.length > 0 ? (
          <>
            <dt>lineage</dt>
            <dd className="flex flex-wrap gap-x-2">
              <LineageLinks lineage={lineage} />
            </dd>
          </>
        ) : null}
      </dl>
      <div className="mt-3 empty:hidden">
        <LineageTree />
      </div>
      <p className="mt-3 text-xs">
        <Link to="/" className="underline underline-offset-2">
          All sessions
        </Link>
      </p>
    </>
  );
}

function usePlacement(id: string) {
  const [placement, setPlacement] = useState<{ zone: string; board: { name: string } | null } | null>();
  useEffect(() => {
    let current = true;
    void ask(BoardQuery, { id }).then(({ data }) => current && setPlacement(data?.session?.placement));
    return () => {
      current = false;
    };
  }, [id]);
  return placement;
}
