import { useId } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import { Label } from "@/components/ui/label";

const SCOPES = {
  read: "lists, pages, documents",
  team: "create and join sessions, act as a team",
  run: "be a runner of agents",
  admin: "settings, keys, people, removal",
};

/** What a key opens. */
export function Scopes({ value, onChange }: { value: string[]; onChange: (scopes: string[]) => void }) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">What it opens</legend>
      {Object.entries(SCOPES).map(([scope, about]) => (
        <div key={scope} className="flex items-start gap-2">
          <Checkbox
            id={`${id}-${scope}`}
            checked={value.includes(scope)}
            onCheckedChange={(on) => onChange(on ? [...value, scope] : value.filter((known) => known !== scope))}
            className="mt-0.5"
          />
          <Label htmlFor={`${id}-${scope}`} className="block leading-snug font-normal">
            <span className="font-medium">{scope}</span> <span className="text-muted-foreground">{about}</span>
          </Label>
        </div>
      ))}
    </fieldset>
  );
}
