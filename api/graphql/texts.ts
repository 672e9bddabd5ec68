import { Lexer, Source, TokenKind } from "graphql";
import { ApiError, invalidArgument } from "../verbs/errors.ts";
import { checkTexts } from "../verbs/texts.ts";

// Parsed queries are kept for the next time: long texts belong into variables, which are not.
export const MAX_QUERY_LENGTH = 50_000;
// Validation compares fields with one another, so its time grows with the square of what is written.
export const MAX_QUERY_TOKENS = 2_000;

export function checkQuery(query: string): void {
  if (query.length > MAX_QUERY_LENGTH) throw tooLong(`${MAX_QUERY_LENGTH} characters`);
  const lexer = new Lexer(new Source(query));
  for (let tokens = 0; nextToken(lexer); tokens++) {
    if (tokens > MAX_QUERY_TOKENS) throw tooLong(`${MAX_QUERY_TOKENS} words and signs`);
    if (lexer.token.kind === TokenKind.STRING) checkTexts("query", lexer.token.value);
  }
}

function nextToken(lexer: Lexer): boolean {
  try {
    return lexer.advance().kind !== TokenKind.EOF;
  } catch {
    // The parser comes next, and says what is wrong.
    return false;
  }
}

/** Here a number has become a double already: one that may have lost digits on the way is refused, not changed. */
export function checkNumbers(field: string, value: unknown): void {
  if (typeof value === "number") {
    const lost = !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
    if (lost)
      throw invalidArgument(field, `${field} holds a number that is too large.`, "Send it as a text, or over REST.");
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) checkNumbers(field, item);
  }
}

const tooLong = (limit: string) =>
  new ApiError(400, "invalid_argument", `The query is longer than ${limit}.`, {
    field: "query",
    hint: "Put long texts into variables, and ask for less at once.",
  });
