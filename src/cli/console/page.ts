/** The page of the console, which the package builds. */
import { readPage } from '../../modules/console/read-page.ts';

export interface ConsolePage {
  readonly html: string;
  /** The Content-Security-Policy of the page. */
  readonly policy: string;
}

/**
 * Loads the page. The program is one file, and would otherwise contain the page a second time: its build
 * replaces the URL by that of the module in the package.
 */
export async function loadPage(): Promise<ConsolePage> {
  const { GZIPPED, POLICY } = await import('../../modules/console/built-page.js');
  return { html: await readPage(GZIPPED), policy: POLICY };
}
