import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from "@/components/ui/select";
import { cn } from "@/lib/utils.ts";

interface ChoiceProps {
  value: string;
  /** The values, or what is shown for each. */
  choices: string[] | Record<string, string>;
  onChange: (value: string) => void;
  /** From the field that it stands in. */
  control?: object;
  label?: string;
  disabled?: boolean;
  className?: string;
}

export function Choice({ value, choices, onChange, control, label, disabled = false, className }: ChoiceProps) {
  const shown = Array.isArray(choices) ? choices.map((choice) => [choice, choice] as const) : Object.entries(choices);
  return (
    <Select value={value} onValueChange={onChange} disabled={disabled}>
      <SelectTrigger size="sm" aria-label={label} className={cn("w-full", className)} {...control}>
        <SelectValue />
      </SelectTrigger>
      <SelectContent>
        {shown.map(([choice, words]) => (
          <SelectItem key={choice} value={choice}>
            {words}
          </SelectItem>
        ))}
      </SelectContent>
    </Select>
  );
}
