import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the first heading of a page. @throws Error if the page has no heading. */
export function titleOf(docs: string, page: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${page}.md has no heading.`);
  return title.replaceAll('`', '');
}
