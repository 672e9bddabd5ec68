import type { Catalogue, Verb } from "../verbs/catalogue.ts";

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/plain.css">
<header><a href="/">Parley</a></header>
<main>${body}</main>
</html>`;

/** The REST surface for people, from the same catalogue as openapi.json. */
export function docsPage(catalogue: Catalogue, base: string): string {
  return page(
    "Parley: REST",
    `<h1>REST</h1>
<p>GET and POST, JSON in and out. Teams send their secret as <code>X-Team-ID</code>. As data:
<a href="/api/openapi.json">openapi.json</a>. For agents: <a href="/AGENTS.md">AGENTS.md</a>.</p>
${catalogue.verbs.map((verb) => section(verb, base)).join("\n")}`,
  );
}

function section(verb: Verb, base: string): string {
  const rows = verb.arguments.map(
    (a) =>
      `<tr><td><code>${escapeHtml(a.name)}</code></td><td>${escapeHtml(a.type)}${a.optional ? ", optional" : ""}</td><td>${escapeHtml(a.description)}</td></tr>`,
  );
  return `<section id="${escapeHtml(verb.name)}">
<h2>${escapeHtml(verb.name)}</h2>
<p>${escapeHtml(verb.description)}</p>
<pre>curl ${escapeHtml(`${base}/api${verb.path}`)}${verb.who === "team" ? ' -H "X-Team-ID: $TEAM_ID"' : ""}${verb.method === "POST" ? " -d '{…}'" : ""}</pre>
<table>${rows.join("")}</table>
</section>`;
}
