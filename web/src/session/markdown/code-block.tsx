import { WrapText } from "lucide-react";
import { isValidElement, useRef, useState } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Button } from "@/components/ui/button";

const languageOf = (children: React.ReactNode): string | undefined => {
  if (!isValidElement<{ className?: string }>(children)) return undefined;
  return /\blanguage-([\w+#.-]{1,20})/.exec(children.props.className ?? "")?.[1];
};

/** Code with its language, to be copied, and wrapped where its lines are too long to scroll. */
export function CodeBlock({ children }: { children?: React.ReactNode }) {
  const block = useRef<HTMLPreElement>(null);
  const [wrapped, setWrapped] = useState(false);
  const language = languageOf(children);
  return (
    <div className="code-block group/code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <pre ref={block} tabIndex={0} data-wrapped={wrapped || undefined}>
        {children}
      </pre>
      <div className="absolute top-1 right-1 flex items-center gap-0.5 rounded pl-1 font-sans text-muted-foreground group-focus-within/code:bg-muted group-hover/code:bg-muted">
        {language ? <span className="rounded bg-muted px-1 text-[11px]">{language}</span> : null}
        <span className="flex opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100">
          <Button
            variant="ghost"
            size="icon"
            className="size-6"
            aria-pressed={wrapped}
            title="Wrap long lines"
            aria-label="Wrap long lines"
            onClick={() => setWrapped(!wrapped)}
          >
            <WrapText className="size-3.5" />
          </Button>
          <CopyButton value={() => block.current?.textContent ?? ""} label="Copy the code" className="size-6" />
        </span>
      </div>
    </div>
  );
}
