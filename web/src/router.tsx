import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { lazy } from "react";
import { ownPath } from "./people/auth.ts";
import { Invited } from "./people/invited.tsx";
import { DOC_VIEWS, type DocView, TABS, type Tab } from "./session/view.ts";
import { SessionsPage } from "./sessions/sessions-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageError } from "./shell/page-error.tsx";
import { Shell } from "./shell/shell.tsx";

export const STATUSES = ["active", "closed"] as const;
export const GROUPS = ["lineage", "board"] as const;

export interface SessionsSearch {
  /** Which sessions: all of them without it. */
  status?: (typeof STATUSES)[number] | undefined;
  /** Words to look for. */
  q?: string | undefined;
  /** In which groups: in none without it. */
  group?: (typeof GROUPS)[number] | undefined;
  /** What was put away. */
  archived?: boolean | undefined;
}

export interface SessionSearch {
  /** What is looked for in the feed: words, the handle of a team, a kind of message. */
  q?: string | undefined;
  team?: string | undefined;
  kind?: string | undefined;
  /** Only what is said to whoever looks. */
  me?: true | undefined;
  /** Which pane is in sight. */
  tab?: Tab | undefined;
  /** Which version of the document, how it is shown, what it is compared with, and a heading in it. */
  v?: number | undefined;
  view?: DocView | undefined;
  from?: number | undefined;
  section?: string | undefined;
  /** A task by its number. */
  task?: number | undefined;
}

const one = <T extends string>(known: readonly T[], value: unknown) => known.find((name) => name === value);
const number = (value: unknown) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : undefined);

// The router reads ?q=42 as a number.
const text = (value: unknown) => (value === undefined || value === "" ? undefined : String(value));

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: SessionsPage,
  validateSearch: ({ status, q, group, archived }: Record<string, unknown>): SessionsSearch => ({
    status: STATUSES.find((known) => known === status),
    q: text(q),
    group: GROUPS.find((known) => known === group),
    archived: archived === true || archived === "true" ? true : undefined,
  }),
});

/** An address that people are given; what waits for them stands first in the list. */
export const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/inbox",
  beforeLoad: () => {
    throw redirect({ to: "/", replace: true });
  },
});

const BoardPage = lazy(() => import("./boards/board-page.tsx"));

export const boardsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/boards",
  component: lazyRouteComponent(() => import("./boards/boards-page.tsx"), "BoardsPage"),
});

export const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/b/$board",
  component: () => {
    const { board } = boardRoute.useParams();
    return <BoardPage key={board} slug={board} />;
  },
});

const SessionPage = lazy(() => import("./session/session-page.tsx"));

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/s/$ref",
  component: () => {
    const { ref } = sessionRoute.useParams();
    return (
      <Invited key={ref}>
        <SessionPage sessionRef={ref} />
      </Invited>
    );
  },
  validateSearch: ({
    q,
    team,
    kind,
    me,
    tab,
    v,
    view,
    from,
    section,
    task,
  }: Record<string, unknown>): SessionSearch => ({
    q: text(q),
    team: text(team),
    kind: text(kind),
    me: me ? true : undefined,
    tab: one(TABS, tab),
    v: number(v),
    view: one(DOC_VIEWS, view),
    from: number(from),
    section: text(section),
    task: number(task),
  }),
});

export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/settings-page.tsx"), "SettingsPage"),
});

export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/keys",
  component: lazyRouteComponent(() => import("./settings/keys/keys-page.tsx"), "KeysPage"),
});

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/people",
  component: lazyRouteComponent(() => import("./settings/people/people-page.tsx"), "PeoplePage"),
});

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/audit",
  component: lazyRouteComponent(() => import("./settings/audit/audit-page.tsx"), "AuditPage"),
});

export const runnersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runners",
  component: lazyRouteComponent(() => import("./runners/runners-page.tsx"), "RunnersPage"),
});

const SignInPage = lazy(() => import("./people/sign-in-page.tsx"));

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  component: () => <SignInPage to={ownPath(signInRoute.useSearch().to)} />,
  validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } => ({ to: text(to) }),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    sessionsRoute,
    inboxRoute,
    boardsRoute,
    boardRoute,
    sessionRoute,
    settingsRoute,
    keysRoute,
    peopleRoute,
    auditRoute,
    runnersRoute,
    signInRoute,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
