import { toast } from "sonner";
import { messageOf } from "@/lib/errors.ts";
import { download } from "../download.ts";
import { pageClient } from "../page-client.ts";
import { JsonExport, MarkdownExport } from "../queries.ts";

export async function exportMarkdown(id: string, ref: string) {
  const { data, error } = await pageClient.query(MarkdownExport, { id }).toPromise();
  if (error) toast.error(messageOf(error));
  else download(`${ref}.md`, "text/markdown", data?.session?.asMarkdown ?? "");
}

export async function exportJson(id: string, ref: string) {
  const { data, error } = await pageClient.query(JsonExport, { id }).toPromise();
  if (error) toast.error(messageOf(error));
  else download(`${ref}.json`, "application/json", JSON.stringify(data?.session?.asJson, null, 2));
}
