import { type FormEvent, useState } from "react";
import { useMutation } from "urql";
import { Choice } from "@/components/choice.tsx";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { fieldOf, hintOf, messageOf } from "@/lib/errors.ts";
import { Section } from "../section.tsx";
import { KeyMade } from "./key-made.tsx";
import { CreateKey } from "./queries.ts";
import { Scopes } from "./scopes.tsx";

const ENDS = {
  never: "Never ends",
  "12h": "Ends in 12 hours",
  "7d": "Ends in 7 days",
  "30d": "Ends in 30 days",
  "365d": "Ends in a year",
};

export function NewKey({ onMade }: { onMade: () => void }) {
  const [{ fetching, error }, create] = useMutation(CreateKey);
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState(["read", "team"]);
  const [session, setSession] = useState("");
  const [ends, setEnds] = useState("never");
  const [made, setMade] = useState<{ secret: string; name: string; session: string | null }>();
  const field = error && fieldOf(error);
  const whole = error && [messageOf(error), hintOf(error)].filter(Boolean).join(" ");

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const expiresIn = ends === "never" ? null : ends;
    const { data } = await create({ name, scopes, session: session.trim() || null, expiresIn });
    const result = data?.createKey?.result;
    if (!result?.secret) return;
    setMade({ secret: result.secret, name: result.name, session: result.session });
    setName("");
    setSession("");
    onMade();
  };
  return (
    <Section title="New key" about="For an agent, a script or a machine. It is shown once.">
      <form onSubmit={submit} className="grid gap-5 p-4 sm:grid-cols-2">
        <Field label="What it is for" error={field === "name" ? whole : undefined}>
          {(control) => (
            <Input
              required
              autoComplete="off"
              placeholder="Claude on Alex's laptop"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Field
          label="Only this session"
          hint="Its ref; empty: all of them."
          error={field === "session_id" || field === "session" ? whole : undefined}
        >
          {(control) => (
            <Input
              autoComplete="off"
              spellCheck={false}
              placeholder="calm-otter-17"
              value={session}
              onChange={(event) => setSession(event.target.value)}
              {...control}
            />
          )}
        </Field>
        <Scopes value={scopes} onChange={setScopes} />
        <div className="flex flex-col justify-between gap-5">
          <Field label="How long">
            {(control) => <Choice control={control} value={ends} choices={ENDS} onChange={setEnds} />}
          </Field>
          <Button type="submit" disabled={fetching || scopes.length === 0} className="self-start">
            {fetching ? "Making…" : "Make a key"}
          </Button>
        </div>
        {whole && !["name", "session", "session_id"].includes(field ?? "") && (
          <p role="alert" className="text-sm text-destructive sm:col-span-2">
            {whole}
          </p>
        )}
      </form>
      {made && <KeyMade {...made} onClose={() => setMade(undefined)} />}
    </Section>
  );
}
