import { useEffect, useState } from "react";
import { type Ask, readAsk } from "@/components/ask.ts";
import { AskCard } from "@/components/ask-card.tsx";
import { oneLineWithCode } from "@/lib/message-text.ts";
import { AskedCard, keyOf, useAsked } from "../agents/asked.tsx";
import { jumpTo } from "../jump.ts";
import type { Participant } from "../queries.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { nameOf, nameOfTeam } from "../team-name.ts";
import { InlineCode } from "./inline-code.tsx";
import { Entry, Section } from "./section.tsx";
import type { Digest, Note } from "./use-digest.ts";

interface NeedsYouProps {
  questions: readonly Note[];
  teams: NonNullable<Digest["teams"]>;
  roster: readonly Participant[];
}

/** What agents ask to be allowed and questions to people, to be answered here; teams that are blocked; teams that hold work and have fallen silent. */
export function NeedsYou({ questions, teams, roster }: NeedsYouProps) {
  const blocked = teams.filter(({ blocked, handle }) => blocked && isHere(roster, handle));
  const asked = useAsked();
  const silent = roster.filter(
    ({ activity, leftAt, claimedTasks }) => activity === "silent" && !leftAt && claimedTasks.nodes.length > 0,
  );
  return (
    <Section title="Needs you" none="Nothing: the teams get on by themselves.">
      {asked.map((permission) => (
        <li key={keyOf(permission)} className="px-2 pb-1">
          <AskedCard permission={permission} />
        </li>
      ))}
      {questions.map((question) => (
        <Question key={question.cursor} question={question} roster={roster} />
      ))}
      {blocked.map(({ handle, lastStatus }) => (
        <Entry
          key={`blocked ${handle}`}
          at={lastStatus?.at}
          onOpen={lastStatus?.cursor ? () => jumpTo(lastStatus.cursor as number) : undefined}
        >
          <bdi className="font-medium">{nameOf(handle ?? "", roster)}</bdi>{" "}
          <span className="text-destructive">is blocked:</span>{" "}
          <InlineCode text={oneLineWithCode(lastStatus?.text ?? "")} />
        </Entry>
      ))}
      {silent.map((team) => (
        <Entry key={`silent ${team.id}`} at={team.lastSeenAt} onOpen={undefined}>
          <bdi className="font-medium">{nameOfTeam(team, roster)}</bdi> has fallen silent and holds{" "}
          {team.claimedTasks.nodes.length === 1 ? "a task" : `${team.claimedTasks.nodes.length} tasks`}
        </Entry>
      ))}
    </Section>
  );
}

const isHere = (roster: readonly Participant[], handle: string | null) =>
  roster.some((team) => team.handle === handle && !team.leftAt);

function Question({
  question: { cursor, handle, text, at },
  roster,
}: {
  question: Note;
  roster: readonly Participant[];
}) {
  const id = useSession(({ head }) => head.id);
  const ask = useAsk(id, cursor ?? 0);
  return (
    <Entry
      at={at}
      onOpen={cursor ? () => jumpTo(cursor) : undefined}
      below={cursor && ask !== undefined ? <AskCard sessionId={id} sequence={cursor} ask={ask} open /> : null}
    >
      <bdi className="font-medium">{nameOf(handle ?? "", roster)}</bdi>{" "}
      <InlineCode text={oneLineWithCode(text ?? "")} />
    </Entry>
  );
}

/** How it is answered; null for a question that any reply answers, undefined while that is not known. */
function useAsk(id: string, sequence: number): Ask | null | undefined {
  const { feed } = useSessionStore();
  const near = feed.get(sequence);
  const [read, setRead] = useState<Ask | null>();
  useEffect(() => {
    if (near) return;
    let current = true;
    void readAsk(id, sequence).then((ask) => current && setRead(ask ?? null));
    return () => {
      current = false;
    };
  }, [near, id, sequence]);
  return near ? near.ask : read;
}
