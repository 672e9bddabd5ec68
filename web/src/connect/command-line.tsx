import { CopyButton } from "@/components/copy-button.tsx";
import { cn } from "@/lib/utils.ts";

/** Lines to copy as they are. They wrap rather than hide their end. */
export function CommandLine({ text, className }: { text: string; className?: string }) {
  return (
    <div className={cn("relative rounded-md border bg-muted", className)}>
      <pre className="py-2 pr-10 pl-3 font-mono text-[13px] leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap">
        {text}
      </pre>
      <CopyButton value={text} className="absolute top-0.5 right-0.5" />
    </div>
  );
}
