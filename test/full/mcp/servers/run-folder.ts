import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from './run-files.ts';

/** Returns the folder of a run. Creates it with a few files on first use. */
export function runFolder(folder: string, run: string): string {
  const own = join(folder, run);
  // `undefined` if the folder already existed.
  if (mkdirSync(own, { recursive: true }) === undefined) return own;
  for (const [name, content] of Object.entries(FILES)) {
    const file = join(own, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'));
  }
  return own;
}
