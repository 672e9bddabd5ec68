/** Two speech bubbles that share an edge: the same drawing as favicon.svg. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={className} fill="none">
      <path d="M3 4.5h11a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H8l-3 3v-3H3z" className="fill-primary" />
      <path
        d="M19 9v6.5a1.5 1.5 0 0 1-1.5 1.5H17v3l-3.5-3H10"
        className="stroke-primary"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
