import { stretchesOf } from "./stretches.ts";

/** Text of any length: what is out of sight costs nothing. */
export function LongText({ text }: { text: string }) {
  const stretches = stretchesOf(text);
  if (stretches.length === 1) return text;
  return stretches.map((stretch, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a text have no other name
    <span key={index} className="stretch">
      {stretch}
    </span>
  ));
}
