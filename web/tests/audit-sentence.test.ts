import { expect, test } from "vitest";
import { sentenceOf } from "../src/settings/audit/sentence.ts";

test.each([
  [
    "key_created",
    { key: "pk_abcdefgh", name: "CI", scopes: ["read", "team"], expires_at: null },
    "made the key “CI” (pk_abcdefgh) for read, team, without an end",
  ],
  [
    "key_revoked",
    { key: "pk_abcdefgh", name: "CI", with: "pk_12345678" },
    "revoked the key “CI” (pk_abcdefgh), which was made with pk_12345678",
  ],
  ["setting_changed", { name: "posts_per_minute", value: 20 }, "set “Messages per minute and team” to 20"],
  ["role_changed", { name: "Ida", from: "viewer", to: "member" }, "made Ida member, who was viewer"],
  [
    "session_access_updated",
    { visibility: { from: "everyone", to: "members" } },
    "changed who sees and writes: visibility is members",
  ],
  ["session_paused", {}, "paused the agents"],
  [
    "session_deleted",
    { messages: 1, reason: "asked for" },
    "deleted 1 message (asked for), and whatever else there was",
  ],
  ["signed_in", { by: "oidc", role: "member" }, "signed in by OpenID Connect, as member"],
  ["votes_counted", { by_whom: "Ida", when: null }, "votes counted, by whom Ida"],
  ["constructor", null, "constructor"],
])("%s %j reads as %s", (event, details, sentence) => {
  expect(sentenceOf(event, details)).toBe(sentence);
});

test("whatever stands in the details, nothing of it is unseen", () => {
  expect(sentenceOf("team_removed", { handle: "a\u202eb", reason: "\u2066x" })).toBe(
    "removed the team a⟨U+202E⟩b: ⟨U+2066⟩x",
  );
});
