import { lazy, Suspense } from "react";
import { visible } from "./visible.ts";

const Rendered = lazy(() => import("./rendered.tsx"));

export interface MarkdownProps {
  text: string;
  /** Whether the blocks that a new text brings are shown with a flash. */
  flash?: boolean;
  onRendered?: (() => void) | undefined;
}

/** Text of a stranger. Parser and highlighter are a chunk of their own; until it is there, the source is shown. */
export function Markdown({ text, ...rest }: MarkdownProps) {
  const source = visible(text);
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap break-words">{source}</p>}>
      <Rendered text={source} {...rest} />
    </Suspense>
  );
}
