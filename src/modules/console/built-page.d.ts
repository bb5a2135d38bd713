/** The page of the console. `build/console-page.ts` writes the module. */

/** The HTML, with its script and its style. */
export declare const PAGE: string;
/** The Content-Security-Policy of the page. */
export declare const POLICY: string;
