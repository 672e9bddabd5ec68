import { useState } from "react";
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
