/** The page of the console. `build/console-page.ts` writes the module. */

/** The HTML with its script and its style: gzipped, in base64. Read it by `readPage`. */
export declare const GZIPPED: string;
/** The Content-Security-Policy of the page. */
export declare const POLICY: string;
