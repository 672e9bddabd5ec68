import type { Named } from "../team-name.ts";

/** Any person, whoever reads it first. */
export const HUMANS = "humans";

const MENTION = /(?<![\p{L}\p{N}_@-])@([\p{L}\p{N}_-]+)/gu;
const BEING_TYPED = /(?<![\p{L}\p{N}_@-])@([\p{L}\p{N}_-]*)$/u;
const MOST_SUGGESTED = 8;

/** The handles that a text names with an @; a word that is nobody's handle is just a word. */
export function mentionsIn(text: string, handles: readonly string[]): string[] {
  const named = [...text.matchAll(MENTION)].map(([, handle]) => handle as string);
  return [...new Set(named)].filter((handle) => handle === HUMANS || handles.includes(handle));
}

/** The beginning of a name in front of the caret. */
export const mentionAt = (text: string, caret: number): string | undefined =>
  BEING_TYPED.exec(text.slice(0, caret))?.[1];

/** Who could be meant: those whose handle begins with it come before those who have it somewhere in their name. */
export function suggestions<Team extends Named>(typed: string, teams: readonly Team[]): (Team | typeof HUMANS)[] {
  const wanted = typed.toLowerCase();
  const begins = teams.filter(({ handle }) => handle.startsWith(wanted));
  const holds = teams.filter(
    (team) => !begins.includes(team) && `${team.handle} ${team.teamName}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...(HUMANS.startsWith(wanted) ? [HUMANS as typeof HUMANS] : []), ...holds].slice(
    0,
    MOST_SUGGESTED,
  );
}

/** The text with the name completed, and where the caret stands then. */
export function completed(text: string, caret: number, typed: string, handle: string): [text: string, caret: number] {
  const before = `${text.slice(0, caret - typed.length)}${handle} `;
  return [before + text.slice(caret).replace(/^ /, ""), before.length];
}
