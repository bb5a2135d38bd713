import { existsSync } from 'node:fs';

/** Where Debian and others put it. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The program of the browser; `undefined` when there is none. @throws Error then, where CHROMIUM says `required`, as in CI. */
export function findChromium(): string | undefined {
  const found = PLACES.find((place) => existsSync(place));
  if (found === undefined && process.env.CHROMIUM === 'required')
    throw new Error(
      `There is no chromium: ${PLACES.join(', ')} are not there, and CHROMIUM=required asks for one.`,
    );
  return found;
}

/** A browser that asks nobody but the tests' Worker for anything. */
export const CHROMIUM_ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
