import { X } from "lucide-react";
import { ActivityDot } from "@/components/activity-dot.tsx";
import { ErrorState } from "@/components/error-state.tsx";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { oneLineWithCode } from "@/lib/message-text.ts";
import { count } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import type { Participant, SessionHead } from "../queries.ts";
import { nameOf } from "../team-name.ts";
import { InlineCode } from "./inline-code.tsx";
import { Entry, Section } from "./section.tsx";
import { type Digest, type Note, useDigest } from "./use-digest.ts";
import { bytesWord, countWords, eventWords, foldRuns, sectionWords, versionWords } from "./words.ts";

interface DigestPanelProps {
  head: SessionHead;
  participants: Participant[];
  onJump: (sequence: number) => void;
  onVersion: (version: number) => void;
  /** Absent where the panel is a tab. */
  onClose?: (() => void) | undefined;
}

/** The session in short, made by the server of what the teams marked while they talked. */
export default function DigestPanel({ head, participants, onJump, onVersion, onClose }: DigestPanelProps) {
  const { digest, error, retry } = useDigest(head.id, head.lastSequence, head.sessionDocVersion);
  return (
    <section aria-label="Digest" className="flex h-full min-h-0 flex-col">
      <div className="flex h-[49px] shrink-0 items-center gap-2 border-b px-4">
        <h2 className="text-sm font-semibold">Digest</h2>
        {digest ? (
          <p className="text-xs text-muted-foreground">
            {count(digest.messages)} {digest.messages === 1 ? "message" : "messages"}
          </p>
        ) : null}
        {onClose ? (
          <Button variant="ghost" size="icon-sm" className="ml-auto" aria-label="Close the digest" onClick={onClose}>
            <X aria-hidden="true" />
          </Button>
        ) : null}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-4 pb-6">
        {digest ? (
          <Contents digest={digest} head={head} participants={participants} onJump={onJump} onVersion={onVersion} />
        ) : error ? (
          <div className="pt-4">
            <ErrorState title="The digest could not be read" error={error} onRetry={retry} />
          </div>
        ) : (
          <div role="status" aria-label="Loading the digest" className="space-y-3 pt-4">
            <Skeleton className="h-4 w-1/3" />
            <Skeleton className="h-10" />
            <Skeleton className="h-10" />
          </div>
        )}
      </div>
    </section>
  );
}

type ContentsProps = Pick<DigestPanelProps, "head" | "participants" | "onJump" | "onVersion"> & { digest: Digest };

function Contents({ digest, head, participants, onJump, onVersion }: ContentsProps) {
  // The roster is live; the digest is from a moment ago.
  const activity = new Map(participants.map((team) => [team.handle, team.activity]));
  const { teams, openQuestions, decisions, docChanges, events, omitted } = digest;
  if (digest.throughCursor === 0 && docChanges.length === 0)
    return (
      <p className="pt-4 text-sm text-muted-foreground">
        Nothing has happened yet. Questions, decisions and changes of the document will be listed here.
      </p>
    );
  return (
    <>
      <Section title="Open questions" none="None: every question has its answer.">
        {openQuestions.map((note) => (
          <NoteEntry key={note.cursor} note={note} participants={participants} onJump={onJump} />
        ))}
      </Section>
      <Section title="Decisions" none="None was marked as such.">
        {decisions.map((note) => (
          <NoteEntry key={note.cursor} note={note} participants={participants} onJump={onJump} />
        ))}
      </Section>
      <Section title="Who did what" none="Nobody is here.">
        {teams.map((team) => (
          <Entry
            key={team.handle}
            title={wordsOf(team) ? `${visible(team.handle)}: go to what it said` : visible(team.handle)}
            onOpen={opening(wordsOf(team)?.cursor ?? team.lastCursor, onJump)}
          >
            <bdi className="font-medium">{nameOf(team.handle, participants)}</bdi>{" "}
            {head.status === "closed" ? null : (
              <ActivityDot activity={activity.get(team.handle) ?? team.activity ?? "silent"} className="mx-1" />
            )}{" "}
            <span className="text-muted-foreground">{countWords(team)}</span>
            <Standing team={team} />
          </Entry>
        ))}
      </Section>
      <Section title="Document" none="It was not written yet.">
        {foldRuns(docChanges)
          .toReversed()
          .map(({ handle, first, last, bytes, sections }) => (
            <Entry key={last} title={visible(handle)} onOpen={() => onVersion(last)}>
              <bdi className="font-medium">{nameOf(handle, participants)}</bdi> wrote {versionWords(first, last)}{" "}
              <span className="text-muted-foreground">{bytesWord(bytes)}</span>
              {sections.size > 0 ? (
                <bdi className="block truncate text-muted-foreground">{sectionWords(sections)}</bdi>
              ) : null}
            </Entry>
          ))}
      </Section>
      <Section title="Events" none="None.">
        {events.toReversed().map(({ cursor, event, handle }) => (
          <Entry key={cursor} at={`#${cursor}`} onOpen={() => onJump(cursor)}>
            <bdi>{handle ? nameOf(handle, participants) : "The server"}</bdi> {eventWords(event)}
          </Entry>
        ))}
      </Section>
      {omitted ? (
        <p className="mt-4 text-xs text-muted-foreground">{count(omitted)} older entries are left out.</p>
      ) : null}
    </>
  );
}

type Team = Digest["teams"][number];

const wordsOf = ({ lastStatus, lastMessage }: Team) => lastStatus ?? lastMessage;
const opening = (cursor: number | null, onJump: DigestPanelProps["onJump"]) =>
  cursor ? () => onJump(cursor) : undefined;

/** Where a team stands: its last status or, if it tells none, its last words. */
function Standing({ team }: { team: Team }) {
  const said = wordsOf(team);
  if (!said) return null;
  return (
    <span className="mt-0.5 line-clamp-2">
      <span className={team.blocked ? "font-medium text-destructive" : "text-muted-foreground"}>
        {team.blocked ? "blocked" : team.lastStatus ? "status" : "last"} #{said.cursor}
      </span>{" "}
      <InlineCode text={oneLineWithCode(said.text)} />
    </span>
  );
}

interface NoteEntryProps extends Pick<DigestPanelProps, "participants" | "onJump"> {
  note: Note;
}

function NoteEntry({ note, participants, onJump }: NoteEntryProps) {
  const { cursor, handle, to, text } = note;
  return (
    <Entry at={`#${cursor}`} title={`Message ${cursor} of ${visible(handle)}`} onOpen={() => onJump(cursor)}>
      <bdi className="font-medium">{nameOf(handle, participants)}</bdi>
      {to?.length ? (
        <span className="text-muted-foreground" title={`To ${visible(to.join(", "))}`}>
          {" "}
          → {to.map((team) => nameOf(team, participants)).join(", ")}
        </span>
      ) : null}{" "}
      <InlineCode text={oneLineWithCode(text)} />
    </Entry>
  );
}
