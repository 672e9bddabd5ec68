const COLOURS = 10;

/** The colour of a team, by the order of joining. It decorates; the name beside it is what tells teams apart. */
export const teamColour = (id: number | undefined): string =>
  id === undefined ? "var(--muted-foreground)" : `var(--team-${((id - 1) % COLOURS) + 1})`;

/** What is written on that colour. */
export const TEAM_INK = "var(--team-ink)";
