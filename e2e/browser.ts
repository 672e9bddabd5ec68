import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { memoryHasRoom } from "../testing/scratch.ts";
import { chromiumFromNpm } from "./chromium-from-npm.ts";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];

/** A Chromium that is installed, or else the one from npm. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? INSTALLED.find(existsSync);
  const chosen = executablePath ? { executablePath } : await chromiumFromNpm();
  // By default playwright keeps it from using what little memory a container may have there.
  const ignoreDefaultArgs = memoryHasRoom() ? ["--disable-dev-shm-usage"] : [];
  return chromium.launch({ ...chosen, args: FLAGS, ignoreDefaultArgs });
}
