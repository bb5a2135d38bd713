/**
 * The URLs of the files that a turn shows. URLs are created asynchronously but translators are synchronous,
 * so the URLs are created before an item is shown.
 */
import { type ContentPart, isFile, isStoredFile } from '../tool/content.ts';
import type { ModuleRequest, RouteSession } from './module-request.ts';
import type { TurnItem } from './turn-feed.ts';

/** The URLs of the files of a session. */
export interface FileUrls {
  /**
   * Returns the URL of a file that an item showed, or that `make` received. @throws Error for any other
   * file.
   */
  url(file: string): string;
  /** Creates the URLs of the files with these ids. */
  make(files: readonly string[]): Promise<void>;
  /** Yields the same items, each after the URLs of its files are created. */
  items<Item extends TurnItem>(items: AsyncIterable<Item>): AsyncIterable<Item>;
}

/**
 * Creates the URLs of the files of a session, for a surface.
 *
 * @example
 * ```ts
 * async function* addresses(asked: ModuleRequest, turn: TurnStream) {
 *   const files = fileUrlsOf(asked, { agent: 'clerk', session: 's1' });
 *   for await (const item of files.items(turn)) {
 *     if (item.type === 'answer') yield* (item.answer.files ?? []).map(({ id }) => files.url(id));
 *   }
 * }
 * ```
 */
export function fileUrlsOf({ fileUrl }: Pick<ModuleRequest, 'fileUrl'>, of: RouteSession): FileUrls {
  const urls = new Map<string, string>();
  async function make(files: readonly string[]): Promise<void> {
    for (const file of files) if (!urls.has(file)) urls.set(file, await fileUrl({ ...of, file }));
  }
  return {
    make,
    url(file) {
      const url = urls.get(file);
      if (url === undefined) throw new Error(`The URL of file '${file}' was not made.`);
      return url;
    },
    async *items(items) {
      for await (const item of items) {
        const files = listFileIds(item);
        if (files.length > 0) await make(files);
        yield item;
      }
    },
  };
}

function listFileIds(item: TurnItem): readonly string[] {
  switch (item.type) {
    case 'turn-started':
    case 'turn-steered':
      return item.parts ? listStoredFileIds(item.parts) : [];
    case 'tool-call-ended':
      return 'parts' in item.result && item.result.parts ? listStoredFileIds(item.result.parts) : [];
    case 'answer':
      return (item.answer.files ?? []).map(({ id }) => id);
    case 'suspended':
      return (item.view.files ?? []).map(({ id }) => id);
    default:
      return [];
  }
}

const listStoredFileIds = (parts: readonly ContentPart[]): readonly string[] =>
  parts.flatMap((part) => (isFile(part) && isStoredFile(part) ? part.id : []));
