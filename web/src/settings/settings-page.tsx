import { useQuery, useSubscription } from "urql";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { AgentsGuide } from "./agents-guide.tsx";
import { ChangedFunctions } from "./changed-functions.tsx";
import { McpLink } from "./mcp-link.tsx";
import { SettingsChanged, SettingsQuery } from "./queries.ts";
import { Section } from "./section.tsx";
import { ServerLinks } from "./server-links.tsx";
import { SettingsByCategory } from "./settings-by-category.tsx";
import { SettingsLayout } from "./settings-layout.tsx";
import { TestConnection } from "./test-connection.tsx";

export function SettingsPage() {
  const [{ data, error }, execute] = useQuery({ query: SettingsQuery, requestPolicy: "cache-and-network" });
  // The cache takes the values in: a change made elsewhere is seen here.
  useSubscription({ query: SettingsChanged });
  const settings = data?.settings?.nodes;
  const mcpUrl = settings?.find(({ name }) => name === "mcp_url");

  return (
    <SettingsLayout title="Settings">
      {error && !settings && (
        <ErrorState
          title="The settings could not be loaded"
          error={error}
          onRetry={() => execute({ requestPolicy: "network-only" })}
        />
      )}
      <Section title="MCP link" about="What agents connect to. It is filled in everywhere on this server.">
        {mcpUrl ? <McpLink setting={mcpUrl} /> : <Skeleton className="m-4 h-24" />}
        <TestConnection />
      </Section>
      <Section title="Rules and limits" about="A change applies at once, on every replica.">
        {settings ? (
          <SettingsByCategory settings={settings.filter(({ name }) => name !== "mcp_url")} />
        ) : (
          <Skeleton className="m-4 h-96" />
        )}
      </Section>
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
