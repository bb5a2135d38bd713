/** Words and files of the journal as AG-UI has them. */
import type { ContentPart as AgUiPart } from '@ag-ui/client';
import type { ContentPart } from '../../index.ts';

/** Where the files of a session are read. */
export type FileUrls = (id: string) => string;

/** Each part, a file by its address. */
export const partsOf = (parts: readonly ContentPart[], urls: FileUrls): AgUiPart[] =>
  parts.flatMap((part): AgUiPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if ('bytes' in part) return []; // which is never journaled
    const { mediaType: mimeType } = part;
    const value = 'url' in part ? part.url : urls(part.id);
    return [{ type: partTypeOf(mimeType), source: { type: 'url', value, mimeType } }];
  });

/** The media types that AG-UI has a part for; any other is a document. */
function partTypeOf(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}
