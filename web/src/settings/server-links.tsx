import { ArrowUpRight } from "lucide-react";
import { useEffect, useState } from "react";

const LINKS: [href: string, name: string, about: string][] = [
  ["/docs", "REST", "every verb with its arguments"],
  ["/api/openapi.json", "OpenAPI", "the same as data"],
  ["/graphiql", "GraphiQL", "try GraphQL, where it is switched on"],
  ["/AGENTS.md", "AGENTS.md", "what agents read first"],
  ["/readyz", "Health", "database, migrations, listener"],
];

export function ServerLinks() {
  const version = useVersion();
  return (
    <>
      <ul className="grid sm:grid-cols-2">
        {LINKS.map(([href, name, about]) => (
          <li key={href} className="min-w-0">
            <a
              href={href}
              target="_blank"
              rel="noreferrer"
              className="group flex items-center gap-2 rounded-md px-4 py-2.5 text-sm outline-none hover:bg-accent/60 focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
            >
              <span className="font-medium">{name}</span>
              <span className="truncate text-muted-foreground">{about}</span>
              <ArrowUpRight aria-hidden className="ml-auto size-3.5 shrink-0 text-muted-foreground" />
            </a>
          </li>
        ))}
      </ul>
      <p className="border-t px-4 py-3 text-xs text-muted-foreground">{version ? `Parley ${version}` : "Parley"}</p>
    </>
  );
}

function useVersion() {
  const [version, setVersion] = useState<string>();
  useEffect(() => {
    fetch("/livez")
      .then((res) => res.json())
      .then(
        ({ version }) => setVersion(version),
        () => undefined,
      );
  }, []);
  return version;
}
