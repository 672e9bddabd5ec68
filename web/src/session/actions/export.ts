import { toast } from "sonner";
import { ask } from "@/lib/ask.ts";
import { messageOf } from "@/lib/errors.ts";
import { download } from "../download.ts";
import { JsonExport, MarkdownExport } from "../queries.ts";

export async function exportMarkdown(id: string, ref: string) {
  const { data, error } = await ask(MarkdownExport, { id });
  if (error) toast.error(messageOf(error));
  else download(`${ref}.md`, "text/markdown", data?.session?.asMarkdown ?? "");
}

export async function exportJson(id: string, ref: string) {
  const { data, error } = await ask(JsonExport, { id });
  if (error) toast.error(messageOf(error));
  else download(`${ref}.json`, "application/json", JSON.stringify(data?.session?.asJson, null, 2));
}
