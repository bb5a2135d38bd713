import { dirname, join } from 'node:path';

/** A link of a Markdown page. */
export interface Link {
  /** As the page writes it. */
  readonly to: string;
  /** In the repository. If the link is only a heading, it is the page itself. */
  readonly path: string;
  readonly heading: string | undefined;
}

/** Returns the links of a page that lead into the repository, in their order. `page`: its path, which its links start from. */
export const linksIn = (text: string, page: string): Link[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, to = '']) => {
    if (/^https?:/.test(to)) return [];
    const [path = '', heading] = to.split('#');
    return { to, path: path === '' ? page : join(dirname(page), path), heading };
  });
