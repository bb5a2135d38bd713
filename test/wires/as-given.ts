/** What the wires of OpenAI's APIs share: arguments of calls as JSON, and words for what only a strict wire refuses. */
import { canonical, Refused } from './wire.ts';

/** JSON with spaces, as models write it and `JSON.stringify` does not. */
export function spacedJson(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, ' ');
}

/** Whether two texts are the same JSON, up to spaces and the order of keys. */
export function isSameJson(sent: unknown, given: string): boolean {
  if (typeof sent !== 'string') return false;
  try {
    return canonical(JSON.parse(sent)) === canonical(JSON.parse(given));
  } catch {
    return false;
  }
}

export function notAsGiven(what: string): Refused {
  return new Refused(400, `Not as it was given: ${what}`);
}
