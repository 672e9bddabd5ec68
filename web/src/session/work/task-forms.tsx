import { createContext, type FormEvent, useContext, useState } from "react";
import { Button } from "@/components/ui/button";
import { Textarea } from "@/components/ui/textarea";
import { useActions } from "./actions.ts";

/** A form that a task is asked for: what came of it, or what stands in its way. */
export interface AskedForm {
  task: number;
  form: "finish" | "block";
}

const FormsContext = createContext<(asked: AskedForm | undefined) => void>(() => undefined);
export const FormsProvider = FormsContext.Provider;
export const useForms = () => useContext(FormsContext);

const WORDS = {
  finish: { label: "What came of it", verb: "Finish" },
  block: { label: "What stands in its way", verb: "Block it" },
};

export function TaskForm({ task, form }: AskedForm) {
  const actions = useActions();
  const ask = useForms();
  const [text, setText] = useState("");
  if (!actions) return null;
  const { label, verb } = WORDS[form];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() && (await actions[form](task, text))) ask(undefined);
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === "Escape") ask(undefined);
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
        // The list moves by arrows, a text does too.
        event.stopPropagation();
      }}
      className="grid gap-2"
    >
      <Textarea
        autoFocus
        aria-label={label}
        placeholder={`${label}…`}
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button type="button" variant="ghost" size="sm" onClick={() => ask(undefined)}>
          Cancel
        </Button>
        <Button type="submit" size="sm" disabled={!text.trim()}>
          {verb}
        </Button>
      </div>
    </form>
  );
}
