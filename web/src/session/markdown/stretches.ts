const LONGEST = 2_000;

/** A long text in stretches, cut at ends of lines or between words where there are any: a browser lays out each on its own. */
export function stretchesOf(text: string): string[] {
  if (text.length <= 2 * LONGEST) return [text];
  const stretches: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + LONGEST;
    if (end >= text.length) {
      stretches.push(text.slice(at));
      break;
    }
    const [line, word] = [text.lastIndexOf("\n", end), text.lastIndexOf(" ", end)];
    const least = at + LONGEST / 2;
    // Never between the two halves of one character.
    const hard = /[\udc00-\udfff]/.test(text.charAt(end)) ? end - 1 : end;
    const cut = line > least ? line : word > least ? word + 1 : hard;
    stretches.push(text.slice(at, cut));
    at = line > least ? cut + 1 : cut;
  }
  return stretches;
}
