/** The schemas of what messages, replies and results hold. */
import type { JournaledPart } from '../../journal/reply-data.ts';
import type { ProviderData } from '../../model/parts.ts';
import type { ContentPart, FileContent, LinkedFile, StoredFile, TextContent } from '../../tool/content.ts';
import type { ResultData } from '../../tool/tool-result.ts';
import { ref } from './described.ts';
import {
  anyObject,
  anything,
  either,
  list,
  object,
  type SchemaOf,
  saying,
  text,
  typed,
  values,
  whole,
  yes,
} from './typed-schema.ts';

const file = { type: values('file'), mediaType: text, 'name?': text };

/** Names a file of a session. */
export const FILE_ID = saying('The SHA-256 of its bytes: GET .../files/{id}.', text);

const storedFile = object<StoredFile>({ ...file, id: FILE_ID, size: whole });
const linkedFile = object<LinkedFile>({ ...file, url: text });

const partBase = { 'provider?': anyObject<ProviderData>() };
const withheld = { 'withheld?': yes, 'signal?': ref('Signal') };

/** Files whose bytes are kept, or are elsewhere: no others are shown or journaled. */
export const FILES = list(typed<FileContent>(either(storedFile, linkedFile)));

/** The same, and words. */
export const CONTENT_PART = typed<ContentPart>(
  either(object<TextContent>({ type: values('text'), text }), storedFile, linkedFile),
);

type PartOf<Type extends JournaledPart['type']> = Extract<JournaledPart, { readonly type: Type }>;
type OurCall = Exclude<PartOf<'tool-call'>, { readonly ranBy: 'provider' }>;
type ProvidersCall = Extract<PartOf<'tool-call'>, { readonly ranBy: 'provider' }>;
type ResultOf<Type extends ResultData['type']> = Extract<ResultData, { readonly type: Type }>;

/** A call of ours, as it is journaled. */
export const JOURNALED_CALL = { id: text, providerId: text, name: text, 'meant?': text, input: text };

/** A part of a reply. */
export const REPLY_PART: SchemaOf<JournaledPart> = either(
  object<PartOf<'text'>>({ ...partBase, type: values('text'), text }),
  object<PartOf<'reasoning'>>({ ...partBase, type: values('reasoning'), text }),
  object<PartOf<'file'>>({
    ...partBase,
    type: values('file'),
    mediaType: text,
    data: text,
    'ofReasoning?': yes,
  }),
  object<Omit<OurCall, 'ranBy'>>({
    ...partBase,
    ...JOURNALED_CALL,
    type: values('tool-call'),
    'called?': text,
  }),
  object<ProvidersCall>({
    ...partBase,
    type: values('tool-call'),
    id: text,
    name: text,
    input: text,
    ranBy: values('provider'),
  }),
  object<PartOf<'tool-result'>>({
    ...partBase,
    type: values('tool-result'),
    id: text,
    name: text,
    result: anything(),
    'isError?': yes,
  }),
  object<PartOf<'source'>>({
    ...partBase,
    type: values('source'),
    id: text,
    'url?': text,
    'title?': text,
    'mediaType?': text,
    'filename?': text,
  }),
  object<PartOf<'custom'>>({ ...partBase, type: values('custom'), kind: text }),
);

/** What a tool answered. */
export const TOOL_RESULT: SchemaOf<ResultData> = either(
  object<ResultOf<'text'>>({ ...withheld, type: values('text'), content: text }),
  object<ResultOf<'content'>>({ ...withheld, type: values('content'), parts: list(ref('ContentPart')) }),
  object<ResultOf<'artifact'>>({
    ...withheld,
    type: values('artifact'),
    value: anything(),
    'content?': text,
    'parts?': list(ref('ContentPart')),
    'remark?': text,
    'artifactType?': text,
  }),
  object<ResultOf<'error'>>({
    type: values('error'),
    message: text,
    'reason?': values(
      'threw',
      'unknown-tool',
      'invalid-input',
      'limit',
      'timeout',
      'cancelled',
      'declined',
      'skipped',
      'unknown-outcome',
    ),
    'signal?': ref('Signal'),
  }),
);
