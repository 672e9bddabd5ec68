import { type FormEvent, useState } from "react";
import { Choice } from "@/components/choice.tsx";
import { Field } from "@/components/field.tsx";
import { Refused } from "@/components/refused.tsx";
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
import { NameInput, useIntroduction } from "@/people/introduction.tsx";
import type { Action, Asked, Done, Values } from "./action.ts";

interface ActionDialogProps {
  action: Action;
  /** What is known already. */
  given: Values;
  onClose: () => void;
}

/** Says in words what an action does, asks for what it needs, and tells what the server says to it. */
export default function ActionDialog({ action, given, onClose }: ActionDialogProps) {
  const introduction = useIntroduction();
  const [values, setValues] = useState<Values>(() => ({
    ...Object.fromEntries(action.asks.map(({ name, initial, choices }) => [name, initial ?? firstOf(choices)])),
    ...given,
  }));
  const [busy, setBusy] = useState(false);
  const [{ refusal, link }, setDone] = useState<Done>({});
  const asks = action.asks.filter(({ after }) => !after || after === refusal?.code);
  const beside = asks.find(({ name }) => name === refusal?.field);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const refused = await introduction.say();
    const done = refused ? { refusal: refused } : await action.run(values);
    setBusy(false);
    setDone(done);
    if (!done.refusal && !done.link) onClose();
  };

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <form onSubmit={submit} className="grid min-w-0 gap-5">
          <DialogHeader>
            <DialogTitle>{action.title}</DialogTitle>
            <DialogDescription>{link?.about ?? action.about}</DialogDescription>
          </DialogHeader>
          {link ? (
            <CommandLine text={link.url} />
          ) : (
            <>
              <NameInput introduction={introduction} />
              {asks.map((asked) => (
                <AskedField
                  key={asked.name}
                  asked={asked}
                  value={values[asked.name] ?? ""}
                  error={beside === asked ? refusal?.message : undefined}
                  onChange={(value) => setValues({ ...values, [asked.name]: value })}
                />
              ))}
              <Refused refusal={beside ? undefined : refusal} />
            </>
          )}
          <DialogFooter>
            <Button type="button" variant={link ? "default" : "ghost"} onClick={onClose}>
              {link ? "Done" : "Cancel"}
            </Button>
            {link ? null : (
              <Button
                type="submit"
                disabled={busy}
                variant={action.destructive ? "destructive" : "default"}
                className={action.destructive ? "dark:text-background" : ""}
              >
                {action.verb}
              </Button>
            )}
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}

const firstOf = (choices: Record<string, string> | undefined) => Object.keys(choices ?? {})[0] ?? "";

interface AskedFieldProps {
  asked: Asked;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function AskedField({ asked, value, error, onChange }: AskedFieldProps) {
  const { label, hint, choices, long, required = false, placeholder } = asked;
  return (
    <Field label={required || choices ? label : `${label} (optional)`} hint={hint} {...(error && { error })}>
      {(control) => {
        if (choices) return <Choice value={value} choices={choices} onChange={onChange} control={control} />;
        const common = { value, required, placeholder, autoComplete: "off", ...control };
        return long ? (
          <Textarea rows={5} className="max-h-80" onChange={(event) => onChange(event.target.value)} {...common} />
        ) : (
          <Input onChange={(event) => onChange(event.target.value)} {...common} />
        );
      }}
    </Field>
  );
}
