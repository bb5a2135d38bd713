import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from './run-files.ts';

/** The folder of a run, made when it is first asked for, with a few files in it. */
export function runFolder(folder: string, run: string): string {
  const own = join(folder, run);
  // Absent when the folder was there.
  if (mkdirSync(own, { recursive: true }) === undefined) return own;
  for (const [name, content] of Object.entries(FILES)) {
    const file = join(own, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'));
  }
  return own;
}
