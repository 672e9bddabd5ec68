import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inflate } from "@sparticuz/chromium";

const PACKAGE = resolve(createRequire(import.meta.url).resolve("@sparticuz/chromium"), "../..");
const PARTS = ["chromium.br", "fonts.tar.br", "al2023.tar.br"];

/** How to launch the Chromium of the package, whose libraries and fonts come with it. */
export async function chromiumFromNpm() {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const place = join(tmpdir(), `parley-chromium-${version}`);
  if (!existsSync(place)) await unpackInto(place);
  return {
    executablePath: join(place, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH: join(place, "al2023/lib"), FONTCONFIG_PATH: place },
  };
}

/** Beside its place, and moved there whole: what is found there runs, though several unpack it at once or one is killed. */
async function unpackInto(place: string): Promise<void> {
  const draft = mkdtempSync(`${place}-`);
  try {
    await unpackParts(draft);
    // Its fonts lie where no configuration looks for them, and text without a font is invisible.
    const folders = `<dir>${place}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${place}</cachedir>`;
    writeFileSync(join(draft, "fonts.conf"), `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>`);
    renameSync(draft, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The package unpacks into the folder for temporary files and nowhere else. */
async function unpackParts(folder: string): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  const unpacking = PARTS.map((name) => inflate(join(PACKAGE, "bin", name)));
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  await Promise.all(unpacking);
}
