import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { lazy } from "react";
import { ownPath } from "./people/auth.ts";
import { SessionsPage } from "./sessions/sessions-page.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageError } from "./shell/page-error.tsx";
import { Shell } from "./shell/shell.tsx";

export const STATUSES = ["active", "closed"] as const;

export interface SessionsSearch {
  /** Which sessions: all of them without it. */
  status?: (typeof STATUSES)[number];
  /** Words to look for. */
  q?: string;
}

export interface SessionSearch {
  /** What is looked for in the feed: words, the handle of a team, a kind of message. */
  q?: string | undefined;
  team?: string | undefined;
  kind?: string | undefined;
}

// The router reads ?q=42 as a number.
const text = (value: unknown) => (value === undefined || value === "" ? undefined : String(value));

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: SessionsPage,
  validateSearch: ({ status, q }: Record<string, unknown>): SessionsSearch => ({
    status: STATUSES.find((known) => known === status),
    q: text(q),
  }),
});

const SessionPage = lazy(() => import("./session/session-page.tsx"));

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/s/$ref",
  component: () => {
    const { ref } = sessionRoute.useParams();
    return <SessionPage key={ref} sessionRef={ref} />;
  },
  validateSearch: ({ q, team, kind }: Record<string, unknown>): SessionSearch => ({
    q: text(q),
    team: text(team),
    kind: text(kind),
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
    sessionRoute,
    settingsRoute,
    keysRoute,
    peopleRoute,
    auditRoute,
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
