import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useMutation } from "urql";
import { Field } from "@/components/field.tsx";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import { Input } from "@/components/ui/input";
import { CommandLine } from "@/connect/command-line.tsx";
import { resumeRecipes } from "@/connect/recipes.ts";
import { useAddress } from "@/connect/use-address.ts";
import { hintOf, messageOf } from "@/lib/errors.ts";
import { ResumeSession } from "../queries.ts";
import { recall, remember } from "../remembered.ts";

const NAME_KEY = "parley:name";

/** The lines that make an agent go on where a session ended; or a person does it, right here. */
export default function ResumeDialog({ sessionRef, onClose }: { sessionRef: string; onClose: () => void }) {
  const address = useAddress();
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-xl">
        <DialogHeader>
          <DialogTitle>Pick this up</DialogTitle>
          <DialogDescription>
            A new session continues <code className="font-mono text-foreground">{sessionRef}</code>: its document starts
            with the goals, the decisions and the conclusion of this one.
          </DialogDescription>
        </DialogHeader>
        <div className="flex min-w-0 flex-col gap-4">
          {resumeRecipes(address, sessionRef).map(({ id, where, lines }) => (
            <section key={id} className="flex min-w-0 flex-col gap-1.5">
              <h3 className="text-xs text-muted-foreground">{where}</h3>
              <CommandLine text={lines} />
            </section>
          ))}
          <ByHand sessionRef={sessionRef} />
        </div>
      </DialogContent>
    </Dialog>
  );
}

function ByHand({ sessionRef }: { sessionRef: string }) {
  const navigate = useNavigate();
  const [{ fetching, error }, resume] = useMutation(ResumeSession);
  const [name, setName] = useState(() => recall(NAME_KEY) ?? "");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data } = await resume({ id: sessionRef, name });
    const ref = data?.resumeSession?.result?.ref;
    if (!ref) return;
    remember(NAME_KEY, name);
    await navigate({ to: "/s/$ref", params: { ref } });
  };
  const failure = error ? [messageOf(error), hintOf(error)].filter(Boolean).join(" ") : undefined;
  return (
    <form onSubmit={submit} className="border-t pt-4">
      <Field label="Or open it yourself, as" error={failure}>
        {(control) => (
          <div className="flex gap-2">
            <Input
              required
              autoComplete="nickname"
              placeholder="Your name"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...control}
            />
            <Button type="submit" disabled={fetching}>
              {fetching ? "Opening…" : "Open"}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
