import { useLocation, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, useEffect, useState } from "react";
import { PageSkeleton } from "@/shell/page-skeleton.tsx";
import { type AuthError, ask, here } from "./auth.ts";
import { takeKeptInvite } from "./kept-invite.ts";
import { useMe } from "./me.ts";

const SignInPage = lazy(() => import("./sign-in-page.tsx"));

/** Whoever opens an invitation is a member before anything of its session is asked for. It leaves the address: it is secret. */
export function Invited({ children }: { children: ReactNode }) {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const me = useMe();
  const [kept, setKept] = useState(takeKeptInvite);
  const [refusal, setRefusal] = useState<AuthError>();
  const invite = new URLSearchParams(hash).get("invite") ?? kept;
  const isPerson = Boolean(me?.person);
  useEffect(() => {
    if (!invite || !isPerson) return;
    void ask("/api/invites/accept", { invite })
      .then(() => setRefusal(undefined), setRefusal)
      .finally(() => {
        setKept(null);
        void navigate({ to: ".", hash: "", search: true, replace: true });
      });
  }, [invite, isPerson, navigate]);

  if (invite) return isPerson ? <PageSkeleton /> : <SignInPage to={here()} />;
  return (
    <>
      {refusal && (
        <p role="alert" className="shrink-0 border-b bg-highlight px-4 py-1.5 text-sm text-foreground">
          {refusal.whole}
        </p>
      )}
      {children}
    </>
  );
}
