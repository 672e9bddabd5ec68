import type { Participant } from "../queries.ts";
import type { Mark, PresenceChange, TimelineData } from "./use-timeline.ts";

export interface Bar {
  from: number;
  to: number;
  status: string;
}

export interface Lane {
  participant: Participant;
  bars: Bar[];
  marks: Mark[];
  edits: number[];
}

/** One lane per team: when it was there, when it spoke, when it wrote. */
export function lanesOf(participants: Participant[], { marks, presence, edits }: TimelineData, end: number): Lane[] {
  return participants.map((participant) => ({
    participant,
    bars: barsOf(
      presence.filter(({ participantId }) => participantId === participant.id),
      participant,
      end,
    ),
    marks: marks.filter(({ handle }) => handle === participant.handle),
    edits: edits
      .filter(({ writtenBy }) => writtenBy?.handle === participant.handle)
      .map(({ writtenAt }) => Date.parse(writtenAt)),
  }));
}

function barsOf(changes: PresenceChange[], { joinedAt, leftAt, status }: Participant, end: number): Bar[] {
  const left = leftAt ? Date.parse(leftAt) : end;
  // Sessions from before presence was recorded: the span between joining and leaving is all that is known.
  if (changes.length === 0) return [{ from: Date.parse(joinedAt), to: left, status: leftAt ? "idle" : status }];
  return changes
    .map((change, index) => {
      const next = changes[index + 1];
      return { from: Date.parse(change.at), to: next ? Date.parse(next.at) : left, status: change.status };
    })
    .filter(({ from, to, status }) => to > from && status !== "disconnected");
}

/** The message nearest to a moment, between two that were sampled by assuming an even pace. */
export function sequenceAt(marks: Mark[], at: number): number | undefined {
  const after = marks.findIndex((mark) => mark.at >= at);
  if (after === -1) return marks.at(-1)?.sequence;
  const [a, b] = [marks[after - 1], marks[after]];
  if (!a || !b || b.at === a.at) return b?.sequence;
  return Math.round(a.sequence + ((at - a.at) / (b.at - a.at)) * (b.sequence - a.sequence));
}
