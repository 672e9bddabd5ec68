import type { ReactNode } from "react";

interface SectionProps {
  /** To be led to, from the list of groups. */
  id?: string;
  title: string;
  about?: string;
  children: ReactNode;
}

export function Section({ id, title, about, children }: SectionProps) {
  return (
    <section id={id} aria-label={title} className="flex scroll-mt-16 flex-col gap-3">
      <div>
        <h2 className="text-sm font-semibold">{title}</h2>
        {about && <p className="text-sm text-muted-foreground">{about}</p>}
      </div>
      <div className="overflow-hidden rounded-lg border bg-card">{children}</div>
    </section>
  );
}
