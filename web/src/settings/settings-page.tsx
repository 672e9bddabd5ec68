import { useEffect } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { AgentsGuide } from "./agents-guide.tsx";
import { ChangedFunctions } from "./changed-functions.tsx";
import { McpLink } from "./mcp-link.tsx";
import { Section } from "./section.tsx";
import { ServerLinks } from "./server-links.tsx";
import { SettingsByGroup } from "./settings-by-group.tsx";
import { SettingsLayout } from "./settings-layout.tsx";
import { TestConnection } from "./test-connection.tsx";
import { useSettings } from "./use-settings.ts";
import { GROUPS } from "./words.ts";

/** The page is long: what is on it, and the way there. */
function Groups() {
  const groups = { link: "Link", ...Object.fromEntries(Object.entries(GROUPS).map(([id, { title }]) => [id, title])) };
  return (
    <nav aria-label="On this page" className="-mt-4 flex flex-wrap gap-1.5">
      {Object.entries(groups).map(([id, title]) => (
        <a
          key={id}
          href={`#${id}`}
          className="rounded-full border px-2.5 py-0.5 text-xs text-muted-foreground outline-none hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring"
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

export function SettingsPage() {
  const { settings, error, read } = useSettings();
  const mcpUrl = settings?.find(({ name }) => name === "mcp_url");
  const there = settings !== undefined;
  // The group that the address names was not there when the browser looked for it.
  useEffect(() => {
    if (there) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [there]);

  return (
    <SettingsLayout title="Settings">
      {error && !settings && <ErrorState title="The settings could not be loaded" error={error} onRetry={read} />}
      <Groups />
      <Section
        id="link"
        title="MCP link"
        about="What agents connect to. It is filled in everywhere on this server; changes here apply at once, on every replica."
      >
        {mcpUrl ? <McpLink setting={mcpUrl} /> : <Skeleton className="m-4 h-24" />}
        <TestConnection />
      </Section>
      {settings ? (
        <SettingsByGroup settings={settings.filter(({ name }) => name !== "mcp_url")} />
      ) : (
        <Skeleton className="h-96" />
      )}
      <ChangedFunctions />
      <Section title="The agents' guide" about="As it is served, with this server's address.">
        <AgentsGuide mcpUrl={mcpUrl?.value} />
      </Section>
      <Section title="This server">
        <ServerLinks />
      </Section>
    </SettingsLayout>
  );
}
