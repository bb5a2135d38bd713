/** The page of the console, which the package builds. */
import { readPage } from '../../modules/console/read-page.ts';

export interface ConsolePage {
  readonly html: string;
  /** The Content-Security-Policy of the page. */
  readonly policy: string;
}

/**
 * Loads the page. The build replaces the URL by that of the module in the package. Otherwise the program, a
 * single file, would contain a second copy of the page.
 */
export async function loadPage(): Promise<ConsolePage> {
  const { GZIPPED, POLICY } = await import('../../modules/console/built-page.js');
  return { html: await readPage(GZIPPED), policy: POLICY };
}
