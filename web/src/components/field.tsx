import { type ReactNode, useId } from "react";
import { Label } from "@/components/ui/label";
import { cn } from "@/lib/utils.ts";

interface FieldProps {
  label: string;
  /** Where the words are on the page already. */
  hideLabel?: boolean;
  hint?: ReactNode;
  error?: string;
  /** Gets what ties the control to its label, hint and error. */
  children: (control: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ReactNode;
}

export function Field({ label, hideLabel, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-2">
      <Label htmlFor={id} className={cn(hideLabel && "sr-only")}>
        {label}
      </Label>
      {children({ id, "aria-describedby": `${id}-about`, "aria-invalid": Boolean(error) })}
      <div id={`${id}-about`} className="text-xs text-muted-foreground empty:hidden">
        {error ? (
          <p role="alert" className="text-destructive">
            {error}
          </p>
        ) : (
          hint
        )}
      </div>
    </div>
  );
}
