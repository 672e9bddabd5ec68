import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { memoryHasRoom } from "../testing/scratch.ts";

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
  const executablePath = process.env.CHROMIUM ?? INSTALLED.find(existsSync) ?? (await chromiumFromNpm());
  // By default playwright keeps it from using what little memory a container may have there.
  const ignoreDefaultArgs = memoryHasRoom() ? ["--disable-dev-shm-usage"] : [];
  return chromium.launch({ executablePath, args: FLAGS, ignoreDefaultArgs });
}

/** The package unpacks its libraries only where it believes to be in its cloud; they are needed anywhere. */
async function chromiumFromNpm(): Promise<string> {
  process.env.AWS_EXECUTION_ENV ??= `AWS_Lambda_nodejs${process.versions.node.split(".")[0]}.x`;
  const { default: bundled } = await import("@sparticuz/chromium");
  bundled.setGraphicsMode = false;
  const path = await bundled.executablePath();
  // Its fonts lie where no configuration looks for them, and text without a font is invisible.
  const config = join(tmpdir(), "parley-fonts");
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, "fonts.conf"),
    `<?xml version="1.0"?><fontconfig><dir>${join(tmpdir(), "fonts")}</dir><dir>/usr/share/fonts</dir><cachedir>${config}</cachedir></fontconfig>`,
  );
  process.env.FONTCONFIG_PATH = config;
  return path;
}
