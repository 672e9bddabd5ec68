import type { DocVersion, Participant } from "../queries.ts";
import type { Mark, PresenceChange, TaskEvent, TimelineData } from "./use-timeline.ts";

export interface Bar {
  from: number;
  to: number;
  status: string;
}

export interface TaskBar {
  task: number;
  title: string;
  from: number;
  to: number;
  /** What ended it; undefined while it goes on. */
  end: string | undefined;
  sequence: number;
}

export interface Edit {
  version: number;
  at: number;
}

export interface Lane {
  participant: Participant;
  bars: Bar[];
  tasks: TaskBar[];
  marks: Mark[];
  edits: Edit[];
}

/** One lane per team: when it was there, at which tasks, when it spoke, when it wrote. */
export function lanesOf(
  participants: readonly Participant[],
  { marks, presence, events }: TimelineData,
  versions: readonly DocVersion[],
  end: number,
): Lane[] {
  const tasks = Map.groupBy(taskBars(events, end), ({ handle }) => handle);
  return participants.map((participant) => ({
    participant,
    bars: barsOf(
      presence.filter(({ participantId }) => participantId === participant.id),
      participant,
      end,
    ),
    tasks: tasks.get(participant.handle) ?? [],
    marks: marks.filter(({ handle }) => handle === participant.handle),
    edits: versions
      .filter(({ writtenBy }) => writtenBy?.handle === participant.handle)
      .map(({ version, writtenAt }) => ({ version, at: Date.parse(writtenAt) })),
  }));
}

/** From each claim to what ended it. */
export function taskBars(events: readonly TaskEvent[], end: number): (TaskBar & { handle: string | undefined })[] {
  const bars: (TaskBar & { handle: string | undefined })[] = [];
  const open = new Map<number, (typeof bars)[number]>();
  for (const { event, task, title, handle, at, sequence } of events) {
    if (event === "task_verified") continue;
    const before = open.get(task);
    if (before) {
      before.to = at;
      before.end = event.replace("task_", "");
      open.delete(task);
    }
    if (event !== "task_claimed") continue;
    const bar = { task, title, handle, from: at, to: end, end: undefined as string | undefined, sequence };
    bars.push(bar);
    open.set(task, bar);
  }
  return bars;
}

function barsOf(changes: readonly PresenceChange[], { joinedAt, leftAt, status }: Participant, end: number): Bar[] {
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
export function sequenceAt(marks: readonly Mark[], at: number): number | undefined {
  const after = marks.findIndex((mark) => mark.at >= at);
  if (after === -1) return marks.at(-1)?.sequence;
  const [a, b] = [marks[after - 1], marks[after]];
  if (!a || !b || b.at === a.at) return b?.sequence;
  return Math.round(a.sequence + ((at - a.at) / (b.at - a.at)) * (b.sequence - a.sequence));
}
