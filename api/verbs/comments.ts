export type Comment = ReturnType<typeof parseComment>;

/** The tags on top of a comment, and the text below them. */
export function parseComment(comment: string) {
  const tags: { tag: string; text: string }[] = [];
  const text: string[] = [];
  for (const line of comment.trim().split("\n")) {
    const match = text.length === 0 ? /^@(\w+)\s*(.*)$/.exec(line.trim()) : null;
    if (match) tags.push({ tag: match[1] as string, text: match[2] as string });
    else text.push(line);
  }
  /** Of a tag that is given once per argument; a dash stands for nothing to say. */
  const byName = (tag: string) =>
    new Map(
      tags.filter((t) => t.tag === tag).map((t) => [t.text.split(" ", 1)[0], t.text.replace(/^\S+\s*-?$|^\S+\s*/, "")]),
    );
  return {
    has: (tag: string) => tags.some((t) => t.tag === tag),
    get: (tag: string) => tags.find((t) => t.tag === tag)?.text,
    all: (tag: string) => tags.filter((t) => t.tag === tag).map((t) => t.text),
    params: byName("param"),
    schemas: byName("schema"),
    text: text.join("\n").trim(),
  };
}
