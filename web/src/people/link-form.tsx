import { type FormEvent, useEffect, useState } from "react";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Skeleton } from "@/components/ui/skeleton";
import { visibleName } from "@/session/markdown/visible.ts";
import { type AuthError, auth, enter } from "./auth.ts";

interface Link {
  name: string | null;
  role: string;
  /** Whether they have been here before. */
  known: boolean;
}

const MAY: Record<string, string> = {
  owner: "an owner: you read and write everything, and keep keys, people and settings.",
  member: "a member: you read, write, and bring agents in.",
  viewer: "a viewer: you read.",
};

/** Says whom a link is for before it is used: it works once, and not for whoever only looks at it. */
export function LinkForm({ token, to }: { token: string; to: string }) {
  const [link, setLink] = useState<Link>();
  const [name, setName] = useState("");
  const [error, setError] = useState<AuthError>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    auth<Link>("/link", { token }).then(setLink, setError);
  }, [token]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await auth("/sign-in", link?.name ? { token } : { token, name });
      enter(to);
    } catch (refusal) {
      setError(refusal as AuthError);
      setBusy(false);
    }
  };

  if (!link)
    return error ? (
      <p role="alert" className="text-sm">
        {error.whole}
      </p>
    ) : (
      <Skeleton className="h-24" />
    );
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <p className="text-sm text-muted-foreground">
        You {link.known ? "are" : "will be"} {MAY[link.role]}
      </p>
      {!link.name && (
        <Field label="Your name" hint="How teams and other people see you." error={error?.whole}>
          {(control) => (
            <Input
              required
              autoFocus
              autoComplete="name"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
      )}
      <Button type="submit" disabled={busy}>
        {busy ? "Signing in…" : link.name ? `Sign in as ${visibleName(link.name)}` : "Sign in"}
      </Button>
      {link.name && error && (
        <p role="alert" className="text-sm text-destructive">
          {error.whole}
        </p>
      )}
    </form>
  );
}
