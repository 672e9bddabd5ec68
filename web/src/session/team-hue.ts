/** A colour that stays with a team. It decorates; the name beside it is what tells teams apart. */
export function teamHue(handle: string): number {
  let hash = 2_166_136_261;
  for (const character of handle) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  // The golden angle keeps neighbours in the hash apart on the wheel.
  return Math.round(((hash >>> 8) * 137.508) % 360);
}
