/** A line of text in which `code` looks like code. */
export function InlineCode({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return (
    <bdi>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line have no other name
          <code key={index} className="rounded bg-muted px-1 py-px font-mono text-[0.9em]">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}
