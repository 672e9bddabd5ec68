const MAX_LINES = 24;
const MAX_LENGTH = 1_600;

/** The beginning of a long message, or nothing when it is short enough to be shown whole. */
export function fold(text: string): string | undefined {
  const lines = text.split("\n");
  // A little over the limit is not worth a click.
  if (lines.length <= MAX_LINES + 6 && text.length <= MAX_LENGTH + 400) return undefined;
  const kept: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, MAX_LINES)) {
    if (length + line.length > MAX_LENGTH) {
      if (kept.length === 0) kept.push(`${line.slice(0, MAX_LENGTH)} …`);
      break;
    }
    kept.push(line);
    length += line.length + 1;
  }
  const fence = openFence(kept);
  if (fence) kept.push(fence);
  return kept.join("\n");
}

function openFence(lines: string[]): string | undefined {
  let open: string | undefined;
  for (const line of lines) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (!fence) continue;
    if (!open) open = fence;
    else if (fence.startsWith(open)) open = undefined;
  }
  return open;
}
