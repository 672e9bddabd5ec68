import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { useIsAdmin } from "@/people/me.ts";

const PARTS = [
  { to: "/settings", name: "General" },
  { to: "/settings/keys", name: "Keys" },
  { to: "/settings/people", name: "People" },
  { to: "/settings/audit", name: "Audit" },
] as const;

/** What is around every page of the settings. Those who do not keep the server see one of them. */
export function SettingsLayout({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(title);
  const isAdmin = useIsAdmin();
  return (
    <main className="mx-auto flex w-full max-w-4xl flex-col gap-8 px-3 py-5 sm:px-4 sm:py-6">
      <div className="flex flex-col gap-3">
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        {isAdmin && (
          <nav aria-label="Settings" className="-mx-1 flex gap-1 overflow-x-auto border-b">
            {PARTS.map(({ to, name }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: true }}
                className="-mb-px rounded-t-md border-b-2 border-transparent px-2.5 py-1.5 text-sm text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset data-[status=active]:border-primary data-[status=active]:font-medium data-[status=active]:text-foreground"
              >
                {name}
              </Link>
            ))}
          </nav>
        )}
      </div>
      {children}
    </main>
  );
}
