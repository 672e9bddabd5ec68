export interface Hop {
  hop: string;
  ok: boolean;
  said: string;
  todo?: string;
}

/** The server calls itself through its link, and tells of each hop as it gets there: a line of JSON each. */
export async function testConnection(onHop: (hop: Hop) => void, signal: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch("/connection-test", { method: "POST", headers, body: "{}", signal });
  if (!response.ok || !response.body) {
    const { error } = await response.json();
    throw new Error([error.message, error.details?.hint].filter(Boolean).join(" "));
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) onHop(JSON.parse(line));
    if (done) return;
  }
}
