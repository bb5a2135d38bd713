import { existsSync } from 'node:fs';

/**
 * The usual paths of the browser's program. The headless shell is preferred, which takes half the CPU time of
 * the whole browser.
 */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/**
 * Returns the path of the browser's program, or `undefined` if it is not installed. @throws Error if it is
 * not installed and CHROMIUM is `required`, as in CI.
 */
export function findChromium(): string | undefined {
  const found = PLACES.find((place) => existsSync(place));
  if (found === undefined && process.env.CHROMIUM === 'required')
    throw new Error(`CHROMIUM=required is set, but chromium is not installed at ${PLACES.join(' or ')}.`);
  return found;
}

/** Options of a browser that contacts only the tests' Worker. */
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
