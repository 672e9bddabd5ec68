import { type FormEvent, useState } from "react";
import { useMutation } from "urql";
import { Choice } from "@/components/choice.tsx";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { hintOf, messageOf } from "@/lib/errors.ts";
import { Section } from "../section.tsx";
import type { Invited } from "./link-made.tsx";
import { InvitePerson } from "./queries.ts";

export const ROLES = { member: "Member", viewer: "Viewer", owner: "Owner" };

export function Invite({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const [{ fetching, error }, invite] = useMutation(InvitePerson);
  const [name, setName] = useState("");
  const [role, setRole] = useState("member");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data } = await invite({ name: name.trim() || null, role });
    const result = data?.invitePerson?.result;
    if (!result?.link) return;
    setName("");
    onInvited({ link: result.link, name: result.name });
  };
  const failure = error && [messageOf(error), hintOf(error)].filter(Boolean).join(" ");
  return (
    <Section title="Invite somebody" about="They get a link that signs them in, once, within 7 days.">
      <form onSubmit={submit} className="grid gap-4 p-4 sm:grid-cols-[minmax(0,1fr)_10rem_auto] sm:items-start">
        <Field label="Name" hint="Empty: they say it themselves." {...(failure && { error: failure })}>
          {(control) => (
            <Input autoComplete="off" value={name} onChange={(event) => setName(event.target.value)} {...control} />
          )}
        </Field>
        <Field label="Role">
          {(control) => (
            <Choice control={control} value={role} choices={ROLES} onChange={setRole} className="data-[size=sm]:h-9" />
          )}
        </Field>
        <Button type="submit" disabled={fetching} className="sm:mt-5.5">
          {fetching ? "Inviting…" : "Make a link"}
        </Button>
      </form>
    </Section>
  );
}
