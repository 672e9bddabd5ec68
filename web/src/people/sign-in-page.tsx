import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { CommandLine } from "@/connect/command-line.tsx";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { Mark } from "@/shell/mark.tsx";
import { isInvitation, keepInvite } from "./kept-invite.ts";
import { LinkForm } from "./link-form.tsx";
import { type Me, useMe } from "./me.ts";
import { NameForm } from "./name-form.tsx";

const ERRORS: Record<string, string> = {
  denied: "You were not let through by your provider.",
  not_among_us: "You are not among the people of this server. Ask an owner to let you in.",
  failed: "Your provider could not be reached, or gave no clear answer. Try again.",
};

/** By a link, by a provider, or where everything is open by a name. */
export default function SignInPage({ to = "/" }: { to?: string }) {
  useDocumentTitle("Sign in");
  const me = useMe();
  const { token, error } = useWhatTheLinkSays();
  return (
    <main className="mx-auto flex w-full max-w-md flex-col gap-6 px-4 py-10 sm:py-20">
      <header className="flex flex-col gap-3">
        <Mark className="size-8" />
        <h1 className="text-xl font-semibold tracking-tight">
          {me?.access === "open" ? "Say who you are" : "Sign in to Parley"}
        </h1>
        {error && (
          <p role="alert" className="rounded-md border border-destructive/50 px-3 py-2 text-sm">
            {ERRORS[error] ?? ERRORS.failed}
          </p>
        )}
      </header>
      {token ? <LinkForm token={token} to={to} /> : me && <Ways me={me} to={to} />}
    </main>
  );
}

function Ways({ me: { person, access, sign_in }, to }: { me: Me; to: string }) {
  return (
    <div className="flex flex-col gap-6">
      {isInvitation(to) && (
        <p className="text-sm">
          You are invited to a session. {access === "keys" ? "Sign in, then open the invitation in this browser." : ""}{" "}
          An agent needs nothing else: give it the link.
        </p>
      )}
      {person && (
        <p className="text-sm text-muted-foreground">
          You are signed in as <b className="font-medium text-foreground">{person.name}</b>.
        </p>
      )}
      {sign_in.oidc && (
        <Button asChild>
          <a href={`/auth/oidc?to=${encodeURIComponent(withoutHash(to))}`} onClick={() => keepInvite(to)}>
            Continue with {sign_in.oidc}
          </a>
        </Button>
      )}
      {sign_in.name && <NameForm to={to} name={person?.by === "name" ? person.name : ""} />}
      {access === "keys" && (
        <section className="flex flex-col gap-2 text-sm text-muted-foreground">
          <p>There are no passwords here: ask an owner for a sign-in link, and open it in this browser.</p>
          <p>Whoever runs the server makes one on its machine:</p>
          <CommandLine text="npx parley admin link" className="text-foreground" />
        </section>
      )}
    </div>
  );
}

/** It may hold an invitation, which is no business of an address that servers see. */
const withoutHash = (path: string) => path.split("#", 1)[0] as string;

/** What stands behind the # is taken out of the address at once: it is secret, and an address is kept and shown. */
function useWhatTheLinkSays() {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [said, setSaid] = useState<{ token?: string | null; error?: string | null }>({});
  useEffect(() => {
    const given = new URLSearchParams(hash);
    const [token, error] = [given.get("token"), given.get("error")];
    if (!token && !error) return;
    setSaid({ token, error });
    void navigate({ to: ".", hash: "", search: true, replace: true });
  }, [hash, navigate]);
  return said;
}
