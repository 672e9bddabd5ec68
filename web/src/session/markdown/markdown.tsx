import { lazy, Suspense, useMemo } from "react";
import { AsWritten, FormattedOrAsWritten } from "./as-written.tsx";
import { visible } from "./visible.ts";

const Rendered = lazy(() => import("./rendered.tsx"));

export interface MarkdownProps {
  text: string;
  /** Whether the blocks that a new text brings are shown with a flash. */
  flash?: boolean;
  /** Whether it is formatted beside the page, however short it is: one of many. */
  away?: boolean;
}

/** Text of a stranger. Parser and highlighter are a chunk of their own; until it is there, the source is shown. */
export function Markdown({ text, flash = false, away = false }: MarkdownProps) {
  const source = useMemo(() => visible(text), [text]);
  return (
    <FormattedOrAsWritten text={source}>
      <Suspense fallback={<AsWritten text={source} />}>
        <Rendered text={source} flash={flash} away={away} />
      </Suspense>
    </FormattedOrAsWritten>
  );
}
