import type { ReactNode } from "react";

export function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h2 className="text-sm font-semibold">{title}</h2>
        {about && <p className="text-sm text-muted-foreground">{about}</p>}
      </div>
      <div className="rounded-lg border bg-card">{children}</div>
    </section>
  );
}
