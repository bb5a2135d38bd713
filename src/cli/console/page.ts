/** The page of the console, which the package builds. */

export interface BuiltPage {
  readonly PAGE: string;
  readonly POLICY: string;
}

/**
 * Loads the page. The program is one file, and would otherwise contain the page a second time: its build
 * replaces the address by that of the module in the package.
 */
export const loadPage = async (): Promise<BuiltPage> =>
  (await import('../../modules/console/built-page.js')) as BuiltPage; // written by build/console-page.ts
