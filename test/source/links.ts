import { dirname, join } from 'node:path';

/** A link of a Markdown page. */
export interface Link {
  /** The link as it is written on the page. */
  readonly to: string;
  /** The target path in the repository. For a link that is only a heading's anchor, it is the page itself. */
  readonly path: string;
  readonly heading: string | undefined;
}

/**
 * Returns the links of a page into the repository, in order. @param page The path of the page, for relative
 * links.
 */
export const parseLinks = (text: string, page: string): Link[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, to = '']) => {
    if (/^https?:/.test(to)) return [];
    const [path = '', heading] = to.split('#');
    return { to, path: path === '' ? page : join(dirname(page), path), heading };
  });
