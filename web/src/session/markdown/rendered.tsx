import { type Components, toJsxRuntime } from "hast-util-to-jsx-runtime";
import { memo, useEffect, useRef } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import "./markdown.css";
import { AsWritten, NOT_FORMATTED } from "./as-written.tsx";
import { markBlocks } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import type { MarkdownProps } from "./markdown.tsx";
import { ReferenceLink } from "./reference-link.tsx";
import { useTree } from "./use-tree.ts";

const WEB = /^(https?:\/\/|mailto:)/i;

function SafeLink({ href, children }: { href?: string | undefined; children?: React.ReactNode }) {
  // Anything else would lead somewhere inside this app, which its author cannot have meant.
  if (!href || !WEB.test(href)) return <span className="underline decoration-dotted">{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const COMPONENTS: Components = {
  a: ({ href, children, ...given }) => {
    const to = (given as { "data-to"?: string })["data-to"];
    return to ? <ReferenceLink to={to}>{children}</ReferenceLink> : <SafeLink href={href}>{children}</SafeLink>;
  },
  // A picture from elsewhere would tell its host who reads along.
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === "string" ? src : undefined}>[image: {alt || "no description"}]</SafeLink>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑" : "☐"} </span>,
};

function Rendered({ text, flash = false, away = false }: MarkdownProps) {
  const formatted = useTree(text, away);
  const shown = useRef<{ text: string; blocks: Set<string>; turn: number }>(undefined);
  const turn = (shown.current?.turn ?? 0) + 1;
  const source = formatted?.text;
  const before = flash && shown.current?.text !== source ? shown.current?.blocks : undefined;
  const marked = formatted?.tree && markBlocks(formatted.tree, { source: formatted.text, before, turn });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text is a new rendering
  useEffect(() => {
    if (source !== undefined && marked) shown.current = { text: source, blocks: marked.blocks, turn };
  }, [source]);
  if (!formatted) return <AsWritten text={text} />;
  if (!marked) return <AsWritten text={formatted.text} note={NOT_FORMATTED} />;
  return <div className="markdown">{toJsxRuntime(marked.tree, { Fragment, jsx, jsxs, components: COMPONENTS })}</div>;
}

export default memo(Rendered);
