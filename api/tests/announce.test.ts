import { expect, test } from "vitest";
import { announcement } from "../announce.ts";
import { readConfig } from "../config.ts";

const said = (env: Record<string, string>) => announcement({ ...readConfig(env), port: 7423 });

test("a server that lets others in without a public address says that only this machine is answered, and what to set", () => {
  for (const HOST of ["0.0.0.0", "::", "192.168.1.7"]) {
    expect(said({ HOST })).toMatch(/Only this machine is answered[\s\S]*set PUBLIC_URL/);
    expect(said({ HOST, PUBLIC_URL: "http://192.168.1.7:7423" })).not.toContain("Only this machine");
  }
  for (const HOST of ["127.0.0.1", "localhost", "::1", ""]) expect(said({ HOST })).not.toContain("PUBLIC_URL");
});

test("the address that others use is the one to hand out", () => {
  const text = said({ HOST: "0.0.0.0", PUBLIC_URL: "https://parley.example.com, http://localhost:7423" });
  expect(text).toContain("Read https://parley.example.com/AGENTS.md and follow it.");
  expect(said({})).toContain("Read http://localhost:7423/AGENTS.md and follow it.");
});

test("PUBLIC_URL is a list of origins", () => {
  const origins = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).publicOrigins;
  expect(origins("https://Parley.example.com/, http://10.0.0.7:80,https://[2001:db8::7]:8443")).toEqual([
    "https://parley.example.com",
    "http://10.0.0.7",
    "https://[2001:db8::7]:8443",
  ]);
  for (const wrong of [
    "parley.example.com",
    "https://parley.example.com/mcp",
    "https://*.example.com",
    "*",
    "null",
    "https://user@parley.example.com",
    "https://parley.example.com?",
    "https://parley.example.com:65536",
    "https://a.example,,https://b.example",
    "https://a.example https://b.example",
    "https://",
    "ftp://a.example",
  ])
    expect(() => origins(wrong), wrong).toThrow(/^PUBLIC_URL .*\.$/);
});
