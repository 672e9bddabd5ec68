import { jumpTo } from "../jump.ts";

interface JumpLinkProps {
  to: number;
  /** Where the keyboard goes along with the eye. */
  onFollow?: ((sequence: number) => void) | undefined;
  title?: string;
  className?: string;
  children: React.ReactNode;
}

/** A link to a message of this feed. Following it twice goes there twice. */
export function JumpLink({ to, onFollow, title, className = "", children }: JumpLinkProps) {
  return (
    <a
      href={`#${to}`}
      title={title}
      className={`rounded-sm text-muted-foreground hover:text-foreground hover:underline focus-visible:text-foreground ${className}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        jumpTo(to);
        onFollow?.(to);
      }}
    >
      {children}
    </a>
  );
}
