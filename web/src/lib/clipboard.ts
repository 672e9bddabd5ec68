import { toast } from "sonner";

/** Copies a text; says so where words are given for it, and always when the browser refused. */
export async function copyText(text: string, said?: string): Promise<boolean> {
  try {
    await write(text);
    if (said) toast.success(said);
    return true;
  } catch {
    toast.error("The browser did not let the page copy. Select the text instead.");
    return false;
  }
}

/** The clipboard API exists on https and localhost only; a server on the local network is often neither. */
async function write(text: string) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("[role=dialog]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("not copied");
}
