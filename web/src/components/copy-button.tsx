import { Check, Copy } from "lucide-react";
import { type ComponentProps, useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/lib/clipboard.ts";

type Props = Omit<ComponentProps<typeof Button>, "value"> & { value: string | (() => string); label?: string };

/** Copies a text and says so. With children it is a button with words, else an icon. */
export function CopyButton({ value, label = "Copy", children, ...props }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    setCopied(await copyText(typeof value === "string" ? value : value()));
  };

  return (
    <Button
      type="button"
      variant="ghost"
      size={children ? "sm" : "icon-sm"}
      aria-label={children ? undefined : label}
      title={children ? undefined : label}
      onClick={copy}
      {...props}
    >
      {copied ? <Check aria-hidden className="text-active-foreground" /> : <Copy aria-hidden />}
      {children}
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </Button>
  );
}
