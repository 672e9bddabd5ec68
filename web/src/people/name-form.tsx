import { type FormEvent, useState } from "react";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { type AuthError, auth, enter } from "./auth.ts";

/** With open access whoever comes says who they are, once. */
export function NameForm({ to, name: known }: { to: string; name: string }) {
  const [name, setName] = useState(known);
  const [error, setError] = useState<AuthError>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await auth("/name", { name });
      enter(to);
    } catch (refusal) {
      setError(refusal as AuthError);
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <Field
        label="Your name"
        hint="This server is open: whoever reaches it reads every session but those that are for their members alone. Your name is what you sign with when you write."
        error={error?.whole}
      >
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
      <Button type="submit">{known ? "Change it" : "Continue"}</Button>
    </form>
  );
}
