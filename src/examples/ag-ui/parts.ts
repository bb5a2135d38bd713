/** Converts text and files from the journal to AG-UI parts. */
import type { ContentPart as AgUiPart } from '@ag-ui/client';
import type { ContentPart } from '../../index.ts';

/** Returns the URL of a session's file. */
export type FileUrls = (id: string) => string;

/** Converts each part. A file becomes its URL. */
export const toAgUiParts = (parts: readonly ContentPart[], urls: FileUrls): AgUiPart[] =>
  parts.flatMap((part): AgUiPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if ('bytes' in part) return []; // never journaled
    const { mediaType: mimeType } = part;
    const value = 'url' in part ? part.url : urls(part.id);
    return [{ type: getPartType(mimeType), source: { type: 'url', value, mimeType } }];
  });

/** Returns AG-UI's part type for a media type. Types without their own are documents. */
function getPartType(mediaType: string): 'image' | 'audio' | 'video' | 'document' {
  const [kind] = mediaType.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}
