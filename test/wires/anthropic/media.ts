/** Checks images, documents and search results in a request to the Messages API, and returns its files. */
import * as v from 'valibot';
import { type FoundFile, isBase64, isHttps, typeOfBytes } from '../files.ts';
import { createOwnRefusal, RefusalError } from '../wire.ts';
import type { AnthropicBlock, AnthropicBody } from './request.ts';

const cacheField = { cache_control: v.optional(v.looseObject({ type: v.literal('ephemeral') })) };
const Url = v.strictObject({ type: v.literal('url'), url: v.string() });
const UploadedFile = v.strictObject({ type: v.literal('file'), file_id: v.string() });
const Bytes = v.strictObject({ type: v.literal('base64'), media_type: v.string(), data: v.string() });
const Said = v.strictObject({ type: v.literal('text'), text: v.string(), ...cacheField });

export const Image = v.strictObject({
  type: v.literal('image'),
  source: v.variant('type', [Bytes, Url, UploadedFile]),
  ...cacheField,
});
export const Document = v.strictObject({
  type: v.literal('document'),
  source: v.variant('type', [
    Bytes,
    Url,
    UploadedFile,
    v.strictObject({ type: v.literal('text'), media_type: v.literal('text/plain'), data: v.string() }),
    v.strictObject({ type: v.literal('content'), content: v.union([v.string(), v.array(Said)]) }),
  ]),
  title: v.optional(v.string()),
  context: v.optional(v.string()),
  citations: v.optional(v.strictObject({ enabled: v.boolean() })),
  ...cacheField,
});
export const SearchResult = v.strictObject({
  type: v.literal('search_result'),
  source: v.string(),
  title: v.string(),
  content: v.array(Said),
  citations: v.optional(v.strictObject({ enabled: v.boolean() })),
  ...cacheField,
});

type Media = Extract<AnthropicBlock, { type: 'image' | 'document' }>;

/** A file of a request, with its path in errors. */
interface PlacedMedia {
  readonly path: string;
  readonly where: FoundFile['where'];
  readonly block: Media;
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Refuses files with an unsupported type, invalid bytes, bytes of another type, or the wrong role. */
export function checkMedia(body: AnthropicBody): void {
  for (const [index, { role, content }] of body.messages.entries()) {
    if (role === 'user' || typeof content === 'string') continue;
    const at = content.findIndex(({ type }) => ['image', 'document', 'search_result'].includes(type));
    if (at !== -1)
      throw createOwnRefusal(`messages.${index}.content.${at}: only a user sends a \`${content[at]?.type}\``);
  }
  for (const { path, block } of collectMedia(body)) checkSource(block, `${path}.${block.type}.source`);
}

function checkSource({ type, source }: Media, path: string): void {
  if (source.type === 'url' && !isHttps(source.url)) {
    throw new RefusalError(400, `${path}.url.url: Only HTTPS URLs are supported.`);
  }
  if (source.type !== 'base64') return;
  const { media_type: mediaType, data } = source;
  const taken = type === 'image' ? IMAGE_TYPES : ['application/pdf'];
  if (!taken.includes(mediaType)) {
    const named = taken.map((one) => `'${one}'`);
    const last = named.pop();
    const list = named.length > 0 ? `${named.join(', ')} or ${last}` : last;
    throw new RefusalError(400, `${path}.base64.media_type: Input should be ${list}`);
  }
  if (!isBase64(data)) throw new RefusalError(400, `${path}.base64.data: Invalid base64 data`);
  if (typeOfBytes(data) === mediaType) return;
  throw new RefusalError(
    400,
    type === 'image'
      ? `${path}.base64.data: Image does not match the provided media type ${mediaType}`
      : `${path}.base64.data: The PDF specified was not valid.`,
  );
}

function collectMedia({ messages }: AnthropicBody): readonly PlacedMedia[] {
  return messages.flatMap(({ content }, index) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block, at): readonly PlacedMedia[] => {
          const path = `messages.${index}.content.${at}`;
          if (isMedia(block)) return [{ path, where: 'message', block }];
          if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
          return block.content.flatMap((inner, place): readonly PlacedMedia[] =>
            isMedia(inner)
              ? [{ path: `${path}.tool_result.content.${place}`, where: 'result', block: inner }]
              : [],
          );
        }),
  );
}

const isMedia = (block: { readonly type: string }): block is Media =>
  block.type === 'image' || block.type === 'document';

/** Returns the files of a request that have bytes or a URL. */
export const collectFiles = (body: AnthropicBody): readonly FoundFile[] =>
  collectMedia(body).flatMap(({ where, block }): readonly FoundFile[] => {
    const { source } = block;
    const name = block.type === 'document' && block.title !== undefined ? { name: block.title } : {};
    if (source.type === 'url') return [{ where, url: source.url, ...name }];
    if (source.type !== 'base64') return [];
    return [{ where, mediaType: source.media_type, base64: source.data, ...name }];
  });
