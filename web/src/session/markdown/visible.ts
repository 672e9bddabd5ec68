// Control, bidi, zero-width, line-separator, variation-selector-supplement and tag characters: what a reader
// cannot see, a model can still read. Tab, newline, ZWJ and ZWNJ stay: text and emoji need them.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

const spelled = (character: string) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** The text with everything unseen spelled out, e.g. ⟨U+202E⟩. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, spelled);
}

// Joiners and variation selectors belong between characters beyond ASCII; elsewhere, and other characters without a
// shape anywhere, they only make one name look like another.
const SHAPELESS =
  /[\t\n]|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{DI}|(?<![^\p{ASCII}])(?:\u200c|\u200d|\ufe0e|\ufe0f)|(?:\u200c|\u200d)(?![^\p{ASCII}])|\u2800/gu;

/** A name or a title: on one line, and two that differ look different. */
export const visibleName = (name: string): string => visible(name).replace(SHAPELESS, spelled);
