import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between two lines, slow enough to follow. `--fast` prints without pauses. */
const PAUSE = process.argv.includes('--fast') ? 0 : 150;

/** Prints lines one by one. Resolves after the last one. */
export async function say(text: string): Promise<void> {
  for (const line of text.split('\n')) {
    console.log(line);
    if (PAUSE > 0 && line.trim() !== '') await pause(PAUSE);
  }
}
