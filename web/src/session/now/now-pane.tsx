import { ActivityDot } from "@/components/activity-dot.tsx";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { oneLineWithCode } from "@/lib/message-text.ts";
import { SessionNeed, useInbox } from "../inbox.tsx";
import { jumpTo } from "../jump.ts";
import { visible, visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { teamColour } from "../team-colour.ts";
import { nameOf, nameOfTeam } from "../team-name.ts";
import { useShow } from "../use-show.ts";
import { TaskLink } from "../work/task-link.tsx";
import { InlineCode } from "./inline-code.tsx";
import { Entry, Section } from "./section.tsx";
import { type Digest, type Note, useDigest } from "./use-digest.ts";
import { changedSections } from "./words.ts";

/** How things stand: what waits for a person, what is open, what was decided, where each team is, what was written. */
export default function NowPane({ shown }: { shown: boolean }) {
  const store = useSessionStore();
  const id = useSession(({ head }) => head.id);
  const { digest, error, retry } = useDigest(store, id, shown);
  return (
    <section aria-label="Now" className="h-full">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <div tabIndex={0} className="h-full overflow-y-auto px-4 pb-6">
        {digest ? (
          <Contents digest={digest} />
        ) : error ? (
          <div className="pt-4">
            <ErrorState title="How things stand could not be read" error={error} onRetry={retry} />
          </div>
        ) : (
          <div role="status" aria-label="Loading how things stand" className="space-y-3 pt-4">
            <Skeleton className="h-4 w-1/3" />
            <Skeleton className="h-10" />
            <Skeleton className="h-10" />
          </div>
        )}
      </div>
    </section>
  );
}

function Contents({ digest }: { digest: Digest }) {
  const { roster, open, closed } = useSession(({ participants, openQuestions, head }) => ({
    roster: participants,
    open: openQuestions,
    closed: head.status === "closed",
  }));
  const show = useShow();
  const { needs } = useInbox();
  // The store knows at once what was answered; the digest is from a moment ago.
  const questions = (digest.openQuestions ?? []).filter(({ cursor }) => cursor !== null && open.includes(cursor));
  const among = questions.filter(({ cursor }) => needs.every((need) => need.cursor !== cursor));
  const sections = changedSections(digest.docChanges);
  if (digest.throughCursor === 0 && sections.length === 0)
    return (
      <p className="pt-4 text-sm text-muted-foreground">
        Nothing has happened yet. What needs you, open questions, decisions and what is written will be here.
      </p>
    );
  return (
    <>
      {closed ? null : (
        <Section cards title="Needs you" none="Nothing: the teams get on by themselves.">
          {needs.map((need) => (
            <SessionNeed key={need.id} need={need} />
          ))}
        </Section>
      )}
      <Section title="Open questions" none="None: every question among the teams has its answer.">
        {among.toReversed().map((question) => (
          <NoteEntry
            key={question.cursor}
            note={question}
            roster={roster}
            to={question.waitingFor ?? question.to ?? []}
          />
        ))}
      </Section>
      <Section title="Teams" none="Nobody is here.">
        {roster.map((team) => (
          <TeamEntry
            key={team.id}
            team={team}
            name={nameOfTeam(team, roster)}
            told={digest.teams?.find(({ handle }) => handle === team.handle)}
            closed={closed}
          />
        ))}
      </Section>
      <Section title="Decisions" none="None was marked as such.">
        {(digest.decisions ?? []).toReversed().map((note) => (
          <NoteEntry key={note.cursor} note={note} roster={roster} to={[]} />
        ))}
      </Section>
      <Section title="Written" none="The document was not written yet.">
        {sections.map(({ section, handle, version, at }) => (
          <Entry
            key={section ?? ""}
            title={`Version ${version}`}
            at={at}
            onOpen={() => show({ tab: "doc", section: section ?? undefined, v: undefined, view: undefined })}
          >
            <bdi className="font-medium">{section === null ? "Above the first heading" : visibleName(section)}</bdi>{" "}
            <span className="text-muted-foreground">
              by <bdi>{nameOf(handle, roster)}</bdi>
            </span>
          </Entry>
        ))}
      </Section>
    </>
  );
}

interface NoteEntryProps {
  note: Note;
  roster: readonly Participant[];
  /** Who is waited for. */
  to: readonly (string | null)[];
}

function NoteEntry({ note: { cursor, handle, text, at }, roster, to }: NoteEntryProps) {
  const names = to.filter((team) => team !== null).map((team) => nameOf(team, roster));
  return (
    <Entry
      title={`Message ${cursor} of ${visible(handle ?? "")}`}
      at={at}
      onOpen={cursor ? () => jumpTo(cursor) : undefined}
    >
      <bdi className="font-medium">{nameOf(handle ?? "", roster)}</bdi>
      {names.length > 0 ? <span className="text-muted-foreground"> → {names.join(", ")}</span> : null}{" "}
      <InlineCode text={oneLineWithCode(text ?? "")} />
    </Entry>
  );
}

interface TeamEntryProps {
  team: Participant;
  name: string;
  told: NonNullable<Digest["teams"]>[number] | undefined;
  closed: boolean;
}

/** Where a team is: what it does, and its latest status or, if it tells none, its last words. */
function TeamEntry({ team, name, told, closed }: TeamEntryProps) {
  const said = told?.lastStatus ?? told?.lastMessage;
  const cursor = said?.cursor;
  const tasks = team.claimedTasks.nodes;
  return (
    <Entry
      title={said ? `${visible(team.handle)}: go to what it said` : visible(team.handle)}
      at={said?.at}
      onOpen={cursor ? () => jumpTo(cursor) : undefined}
      below={
        tasks.length > 0 ? (
          <span className="flex flex-wrap gap-x-2 pl-4 text-xs text-muted-foreground">
            {tasks.map(({ task, title }) => (
              <TaskLink key={task} task={task} title={visibleName(title)} />
            ))}
          </span>
        ) : null
      }
    >
      <span
        aria-hidden="true"
        className="mr-2 inline-block size-2 rounded-full"
        style={{ background: teamColour(team.id) }}
      />
      <bdi className="font-medium">{name}</bdi>{" "}
      {closed ? null : <ActivityDot activity={team.activity} className="mx-1" />}
      {team.doing ? <bdi className="text-muted-foreground"> · {visibleName(team.doing)}</bdi> : null}
      {said ? (
        <span className="mt-0.5 line-clamp-2 pl-4">
          {told?.blocked ? <span className="font-medium text-destructive">blocked: </span> : null}
          <InlineCode text={oneLineWithCode(said.text ?? "")} />
        </span>
      ) : null}
    </Entry>
  );
}
