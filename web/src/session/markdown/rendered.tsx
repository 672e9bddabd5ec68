import { memo, useEffect, useRef } from "react";
import type { Components } from "react-markdown";
import ReactMarkdown from "react-markdown";
import rehypeHighlight from "rehype-highlight";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import "./markdown.css";
import { markBlocks } from "./blocks.ts";
import type { MarkdownProps } from "./markdown.tsx";

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
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // A picture from elsewhere would tell its host who reads along.
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === "string" ? src : undefined}>[image: {alt || "no description"}]</SafeLink>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
    <pre tabIndex={0}>{children}</pre>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑" : "☐"} </span>,
};

function Rendered({ text, flash = false, onRendered }: MarkdownProps) {
  const shown = useRef<{ text: string; blocks: Set<string>; turn: number }>(undefined);
  const blocks = new Set<string>();
  const turn = (shown.current?.turn ?? 0) + 1;
  const before = flash && shown.current?.text !== text ? shown.current?.blocks : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text is a new rendering
  useEffect(() => {
    shown.current = { text, blocks, turn };
    onRendered?.();
  }, [text, onRendered]);
  return (
    <div className="markdown">
      <ReactMarkdown
        skipHtml
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[
          [rehypeSanitize, defaultSchema],
          [rehypeHighlight, { detect: false }],
          [markBlocks, { source: text, before, blocks, turn }],
        ]}
        components={COMPONENTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

export default memo(Rendered);
