import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { Refusal } from "@/lib/call.ts";
import { socket } from "@/lib/socket.ts";
import { type AuthError, auth } from "./auth.ts";
import { loadMe, useMe } from "./me.ts";

export interface Introduction {
  /** Whether a name has to be said first. */
  needed: boolean;
  name: string;
  setName: (name: string) => void;
  /** Says it, if it is needed. */
  say: () => Promise<Refusal | undefined>;
}

/** With open access anybody may write who says who they are: once, where they write. */
export function useIntroduction(): Introduction {
  const me = useMe();
  const [name, setName] = useState("");
  const needed = me !== undefined && me.person === null && me.sign_in.name;
  const say = async () => {
    if (!needed) return;
    try {
      await auth("/name", { name });
      await loadMe();
      // What is told from now on is told to somebody.
      socket.terminate();
    } catch (refusal) {
      const { message, hint } = refusal as AuthError;
      return { message, hint, field: "name" };
    }
  };
  return { needed, name, setName, say };
}

export interface Signing<Choice> {
  introduction: Introduction;
  /** What somebody wants to do, and cannot before they have said who they are. */
  chosen: Choice | undefined;
  /** Whether it can be done now; else the name is asked for. */
  isSigned: (choice: Choice) => boolean;
}

/** Whoever has no name yet is asked for it when they do something, and not by everything that could be done. */
export function useSigning<Choice>(): Signing<Choice> {
  const introduction = useIntroduction();
  const [chosen, setChosen] = useState<Choice>();
  const isSigned = (choice: Choice) => {
    if (!introduction.needed || introduction.name.trim()) return true;
    setChosen(choice);
    return false;
  };
  return { introduction, chosen: introduction.needed ? chosen : undefined, isSigned };
}

interface SignFirstProps<Choice> {
  signing: Signing<Choice>;
  /** What the button says: what will be done. */
  wordsOf: (choice: Choice) => string;
  busy: boolean;
  onSigned: (choice: Choice) => void;
}

export function SignFirst<Choice>({ signing, wordsOf, busy, onSigned }: SignFirstProps<Choice>) {
  const { introduction, chosen } = signing;
  if (chosen === undefined) return null;
  return (
    <div className="flex flex-wrap gap-2">
      <NameInput introduction={introduction} autoFocus onEnter={() => onSigned(chosen)} className="h-8 max-w-60" />
      <Button size="sm" disabled={busy || !introduction.name.trim()} onClick={() => onSigned(chosen)}>
        {wordsOf(chosen)}
      </Button>
    </div>
  );
}

interface NameInputProps {
  introduction: Introduction;
  autoFocus?: boolean;
  onEnter?: () => void;
  className?: string;
}

export function NameInput({ introduction, autoFocus = false, onEnter, className }: NameInputProps) {
  if (!introduction.needed) return null;
  return (
    <Input
      required
      autoFocus={autoFocus}
      autoComplete="name"
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !onEnter) return;
        event.preventDefault();
        onEnter();
      }}
      aria-label="Your name"
      placeholder="Your name"
      title="Said once: it is what you sign with"
      value={introduction.name}
      onChange={(event) => introduction.setName(event.target.value)}
      className={className}
    />
  );
}
