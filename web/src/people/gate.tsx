import { useLocation } from "@tanstack/react-router";
import { lazy, type ReactNode } from "react";
import { PageSkeleton } from "@/shell/page-skeleton.tsx";
import { here } from "./auth.ts";
import { useAsked, useIsInside } from "./me.ts";

const SignInPage = lazy(() => import("./sign-in-page.tsx"));

/** Where keys are asked for, a page without a person is the page to sign in. */
export function Gate({ children }: { children: ReactNode }) {
  const asked = useAsked();
  const isInside = useIsInside();
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (!asked) return <PageSkeleton />;
  if (isInside || path === "/sign-in") return children;
  return <SignInPage to={here()} />;
}
