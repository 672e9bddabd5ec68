import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { lazy } from "react";
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

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: SessionsPage,
  validateSearch: ({ status, q }: Record<string, unknown>): SessionsSearch => ({
    status: STATUSES.find((known) => known === status),
    // The router reads ?q=42 as a number.
    q: q === undefined || q === "" ? undefined : String(q),
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
});

export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/settings-page.tsx"), "SettingsPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([sessionsRoute, sessionRoute, settingsRoute]),
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
