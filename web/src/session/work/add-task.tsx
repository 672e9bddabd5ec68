import { Plus } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Field } from "@/components/field.tsx";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Textarea } from "@/components/ui/textarea";
import type { Refusal } from "@/lib/call.ts";
import { type Draft, useActions } from "./actions.ts";

const FIELDS = ["body", "depends_on", "paths"];
const EMPTY = { title: "", body: "", dependsOn: "", paths: "" };
const words = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

/** A line for a title; what else a task has opens below it. */
export function AddTask() {
  const actions = useActions();
  const [form, setForm] = useState(EMPTY);
  const [more, setMore] = useState(false);
  const [refused, setRefused] = useState<Refusal>();
  const title = useRef<HTMLInputElement>(null);
  if (!actions) return null;
  const set = (name: keyof typeof EMPTY) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!form.title.trim()) return;
    const refusal = await actions.add(draftOf(form));
    if (refusal === "later") return;
    setRefused(refusal);
    if (refusal) return setMore(true);
    setForm(EMPTY);
    title.current?.focus();
  };
  // The field is named with its place in the call: tasks[0].paths[1].
  const problem = (field: string) =>
    refused?.field?.includes(field) ? [refused.message, refused.hint].filter(Boolean).join(" ") : undefined;
  const placed = FIELDS.some(problem);
  return (
    <form onSubmit={submit} className="shrink-0 border-b px-3 py-2">
      <div className="flex gap-2">
        <Input
          ref={title}
          aria-label="Title of a new task"
          placeholder="Add a task…"
          className="h-8"
          value={form.title}
          onChange={set("title")}
        />
        <Button type="button" variant="ghost" size="sm" aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? "Less" : "More"}
        </Button>
        <Button type="submit" size="sm" disabled={!form.title.trim()}>
          <Plus aria-hidden="true" /> Add
        </Button>
      </div>
      {more ? (
        <div className="mt-3 grid gap-3 pb-1">
          <Field label="What is to be done" error={problem("body")}>
            {(control) => <Textarea rows={3} value={form.body} onChange={set("body")} {...control} />}
          </Field>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label="Waits for tasks" hint="Their numbers: 3, 4" error={problem("depends_on")}>
              {(control) => (
                <Input inputMode="numeric" value={form.dependsOn} onChange={set("dependsOn")} {...control} />
              )}
            </Field>
            <Field label="Paths it will change" hint="src/api/ or src/*.ts" error={problem("paths")}>
              {(control) => <Input value={form.paths} onChange={set("paths")} {...control} />}
            </Field>
          </div>
        </div>
      ) : null}
      <Refused refusal={placed ? undefined : refused} className="mt-1 text-xs" />
    </form>
  );
}

const draftOf = ({ title, body, dependsOn, paths }: typeof EMPTY): Draft => ({
  title,
  ...(body.trim() && { body }),
  ...(dependsOn.trim() && { depends_on: words(dependsOn) }),
  ...(paths.trim() && { paths: words(paths) }),
});
