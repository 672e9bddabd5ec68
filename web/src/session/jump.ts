import { useEffect } from "react";

const AGAIN = "parley:jump";

/** The message that the address names: /s/calm-otter-17#128. */
export function sequenceInHash(hash: string = location.hash): number | undefined {
  const digits = /^#(\d{1,9})$/.exec(hash)?.[1];
  return digits ? Number(digits) : undefined;
}

/** Shows a message of the feed. The address is what says which, so every jump can be shared and undone. */
export function jumpTo(sequence: number, { passing = false } = {}) {
  const hash = `#${sequence}`;
  if (location.hash === hash) dispatchEvent(new Event(AGAIN));
  // What one only drags past is not a step to go back to.
  else if (passing) location.replace(hash);
  else location.hash = hash;
}

export function useJumps(onJump: (sequence: number) => void) {
  useEffect(() => {
    const follow = () => {
      const sequence = sequenceInHash();
      if (sequence) onJump(sequence);
    };
    addEventListener("hashchange", follow);
    addEventListener(AGAIN, follow);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener(AGAIN, follow);
    };
  }, [onJump]);
}
