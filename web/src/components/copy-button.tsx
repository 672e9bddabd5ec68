import { Check, Copy } from "lucide-react";
import { type ComponentProps, useEffect, useState } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";

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
    try {
      await writeClipboard(typeof value === "string" ? value : value());
      setCopied(true);
    } catch {
      toast.error("The browser did not let the page copy. Select the text instead.");
    }
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

/** The clipboard API exists on https and localhost only; a server on the local network is often neither. */
async function writeClipboard(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("[role=dialog]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("not copied");
}
