import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useMutation } from "urql";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/components/ui/dialog";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import { CommandLine } from "@/connect/command-line.tsx";
import { guideLine } from "@/connect/recipes.ts";
import { useAddress } from "@/connect/use-address.ts";
import { fieldOf, messageOf } from "@/lib/errors.ts";
import { CreateSession } from "./queries.ts";

const NAME_KEY = "parley:name";

export default function NewSessionDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<{ ref: string; title: string }>();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        {created ? <Created {...created} /> : <NewSessionForm onCreated={setCreated} onCancel={onClose} />}
      </DialogContent>
    </Dialog>
  );
}

interface FormProps {
  onCreated: (session: { ref: string; title: string }) => void;
  onCancel: () => void;
}

function NewSessionForm({ onCreated, onCancel }: FormProps) {
  const [{ fetching, error }, createSession] = useMutation(CreateSession);
  const field = error && fieldOf(error);
  const errorAt = (name: string) => (error && field === name ? messageOf(error) : undefined);
  const known = ["title", "description", "creator_team_name"];

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    const { data } = await createSession({
      title: text("title"),
      description: text("description"),
      name: text("name"),
    });
    const { ref, title } = data?.createSession?.result ?? {};
    if (!ref) return;
    localStorage.setItem(NAME_KEY, text("name"));
    onCreated({ ref, title: title ?? "" });
  };

  return (
    <form onSubmit={submit} className="grid gap-5">
      <DialogHeader>
        <DialogTitle>New session</DialogTitle>
        <DialogDescription>You open it and convene it; your agents join by its ref.</DialogDescription>
      </DialogHeader>
      <Field label="Title" error={errorAt("title")}>
        {(control) => (
          <Input name="title" required autoComplete="off" placeholder="Port billing to Postgres" {...control} />
        )}
      </Field>
      <Field
        label="Description"
        hint="The task and the goal. Every agent reads this first."
        error={errorAt("description")}
      >
        {(control) => <Textarea name="description" rows={3} {...control} />}
      </Field>
      <Field label="Your name" hint="How the teams see you." error={errorAt("creator_team_name")}>
        {(control) => (
          <Input
            name="name"
            required
            autoComplete="nickname"
            defaultValue={localStorage.getItem(NAME_KEY) ?? ""}
            {...control}
          />
        )}
      </Field>
      {error && !known.includes(field ?? "") && (
        <p role="alert" className="text-sm text-destructive">
          {messageOf(error)}
        </p>
      )}
      <DialogFooter>
        <Button type="button" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" disabled={fetching}>
          {fetching ? "Creating…" : "Create session"}
        </Button>
      </DialogFooter>
    </form>
  );
}

function Created({ ref: sessionRef, title }: { ref: string; title: string }) {
  const address = useAddress();
  return (
    <>
      <DialogHeader>
        <DialogTitle className="pr-6 leading-snug break-words">{title}</DialogTitle>
        <DialogDescription>
          The session is open. Its ref is <code className="font-mono text-foreground">{sessionRef}</code>.
        </DialogDescription>
      </DialogHeader>
      <div className="flex min-w-0 flex-col gap-2">
        <p className="text-sm">Hand this line to each agent:</p>
        <CommandLine text={guideLine(address, sessionRef)} />
      </div>
      <DialogFooter>
        <Button asChild>
          <Link to="/s/$ref" params={{ ref: sessionRef }}>
            Open the session
          </Link>
        </Button>
      </DialogFooter>
    </>
  );
}
