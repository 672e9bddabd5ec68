import { useQuery } from "urql";
import { graphql } from "@/lib/graphql.ts";
import { useLive } from "@/lib/live.ts";
import { useMe } from "@/people/me.ts";

const McpUrl = graphql(`
  query McpUrl {
    setting(name: "mcp_url") {
      name
      value
    }
  }
`);

const McpUrlChanged = graphql(`
  subscription McpUrlChanged {
    settingsChanged {
      query {
        setting(name: "mcp_url") {
          name
          value
        }
      }
    }
  }
`);

export interface Address {
  /** The link agents connect to. */
  mcp: string;
  /** Where the page, REST and the guide are. */
  base: string;
  /** The access key to show, where keys are asked for: a real one, or what stands for it. */
  key?: string | undefined;
}

export const SOME_KEY = "pk_…";

/** As the server fills it in everywhere: the mcp_url setting, or where this page came from. */
export function useAddress(): Address {
  const [{ data }] = useQuery({ query: McpUrl });
  const changed = useLive(McpUrlChanged, {})?.settingsChanged?.query;
  const asksForKeys = useMe()?.access === "keys";
  return { ...addressOf((changed ?? data)?.setting?.value), key: asksForKeys ? SOME_KEY : undefined };
}

export function addressOf(mcpUrl: unknown): Address {
  const mcp = typeof mcpUrl === "string" && mcpUrl ? mcpUrl : `${location.origin}/mcp`;
  return { mcp, base: mcp.replace(/(\/api)?(\/mcp)?\/*$/, "") };
}
