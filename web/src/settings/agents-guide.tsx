import { useCallback, useEffect, useRef, useState } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";

/** The server hears of its own change of settings by a notification. */
const SETTLED_MS = 300;

/** The guide byte for byte as an agent gets it; read again when the link in it has changed. */
export function AgentsGuide({ mcpUrl }: { mcpUrl: unknown }) {
  const [guide, setGuide] = useState<string>();
  const [error, setError] = useState<Error>();

  const load = useCallback(() => {
    setError(undefined);
    fetch("/AGENTS.md")
      .then((res) => (res.ok ? res.text() : Promise.reject(new Error(`The server answered ${res.status}.`))))
      .then(setGuide, setError);
  }, []);
  const shown = useRef(mcpUrl);
  useEffect(load, [load]);
  useEffect(() => {
    if (shown.current === mcpUrl) return;
    shown.current = mcpUrl;
    const timer = setTimeout(load, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [mcpUrl, load]);

  if (error) return <ErrorState title="The guide could not be loaded" error={error} onRetry={load} className="m-4" />;
  if (guide === undefined) return <Skeleton className="m-4 h-64" />;
  return (
    <div className="relative">
      <CopyButton value={guide} label="Copy the guide" className="absolute top-2 right-4 bg-card" />
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard.
        tabIndex={0}
        aria-label="AGENTS.md"
        className="max-h-112 overflow-auto rounded-b-lg p-4 pr-12 font-mono text-xs leading-relaxed break-words whitespace-pre-wrap outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
      >
        {guide}
      </section>
    </div>
  );
}
