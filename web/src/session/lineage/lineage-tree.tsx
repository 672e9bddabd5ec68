import { Link } from "@tanstack/react-router";
import { CornerDownRight, GitFork, Play, Split } from "lucide-react";
import { useEffect, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { ask } from "@/lib/ask.ts";
import { graphql } from "@/lib/graphql.ts";
import { visibleName } from "../markdown/visible.ts";
import { useSession } from "../store/session-provider.tsx";
import { type Branch, familyOf, type Relative } from "./tree.ts";

const LineageQuery = graphql(`
  query Lineage($id: UUID!) {
    session(id: $id) {
      lineage {
        ref title status relation of hasMore
        ancestors { ref title status relation of }
        descendants { ref title status relation of }
      }
    }
  }
`);

const RELATIONS: Record<string, { icon: typeof Play; word: string }> = {
  resumed: { icon: Play, word: "resumed" },
  spawned: { icon: Split, word: "spawned" },
  forked: { icon: GitFork, word: "forked" },
};
const DEEPEST = 8;

/** Where a session comes from and what has come of it, as a small tree. Alone in its family it shows nothing. */
export function LineageTree() {
  const { id, revision } = useSession(({ head, familyRevision }) => ({ id: head.id, revision: familyRevision }));
  const [read, setRead] = useState<{ family: Branch[]; more: boolean }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision says when to read it again
  useEffect(() => {
    let current = true;
    ask(LineageQuery, { id }).then(({ data }) => {
      const tree = data?.session?.lineage;
      if (!current || !tree) return;
      const family = familyOf(tree.ancestors.map(relative), relative(tree), tree.descendants.map(relative));
      setRead({ family, more: tree.hasMore === true });
    });
    return () => {
      current = false;
    };
  }, [id, revision]);
  if (!read) return <Skeleton className="h-5 w-40" />;
  if (read.family.length === 1) return null;
  return (
    <nav aria-label="Lineage">
      <ul className="text-sm">
        {read.family.map((branch) => (
          <li key={branch.ref} style={{ paddingLeft: `${Math.min(branch.depth, DEEPEST) * 0.9}rem` }}>
            <Row branch={branch} />
          </li>
        ))}
      </ul>
      {read.more ? <p className="mt-1 text-xs text-muted-foreground">There are more than these.</p> : null}
    </nav>
  );
}

function Row({ branch: { ref, title, status, relation } }: { branch: Branch }) {
  const here = useSession(({ head }) => head.ref === ref);
  const known = relation ? RELATIONS[relation] : undefined;
  const Icon = known?.icon ?? CornerDownRight;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 py-0.5">
      {known ? (
        <span title={known.word} className="flex shrink-0 items-center gap-1 self-center text-xs text-muted-foreground">
          <Icon aria-hidden="true" className="size-3.5" />
          <span className="sr-only">{known.word}: </span>
        </span>
      ) : null}
      {here ? (
        <b aria-current="page" className="min-w-0 truncate font-semibold">
          <bdi>{visibleName(title)}</bdi>
        </b>
      ) : (
        <Link
          to="/s/$ref"
          params={{ ref }}
          title={`${visibleName(title)} (${ref})`}
          className="min-w-0 truncate underline decoration-border underline-offset-2 hover:decoration-current"
        >
          <bdi>{visibleName(title)}</bdi>
        </Link>
      )}
      <span className="shrink-0 text-xs text-muted-foreground">{status === "closed" ? "concluded" : "open"}</span>
    </span>
  );
}

type Read = { [Field in keyof Relative]: string | null };
const relative = ({ ref, title, status, relation, of }: Read): Relative => ({
  ref: ref ?? "",
  title: title ?? "",
  status: status ?? "",
  relation,
  of,
});
