/** One reply of a model as parts of a message: first as it comes, then as it is journaled. */
import type { EventOf } from '../../journal/events.ts';
import type { JournaledCall, JournaledPart } from '../../journal/reply-data.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import type { Segment } from '../reply-words.ts';
import type { UiChunk } from './chunks.ts';

type Replied = EventOf<'model-replied'>;

/** Tells whether what was streamed of a reply is how its words begin. */
export const isBeginning = (streamed: readonly Segment[], words: readonly Segment[]): boolean =>
  streamed.every(({ type, text }, index) => {
    const word = words[index];
    const isLast = index === streamed.length - 1;
    return word?.type === type && (isLast ? word.text.startsWith(text) : word.text === text);
  });

/** What a reply holds beside words and calls that are run here. `seq` is that of its event, and tells its calls from others. */
export function partChunks(
  { parts = [], turn, seq }: Replied & { readonly seq: number },
  is7: boolean,
): UiChunk[] {
  return parts.flatMap((part) => partChunk(part, { prefix: `${turn}.${seq}`, is7 }));
}

interface PartOf {
  readonly prefix: string;
  readonly is7: boolean;
}

function partChunk(part: JournaledPart, { prefix, is7 }: PartOf): UiChunk[] {
  switch (part.type) {
    case 'file': {
      const { mediaType, data, ofReasoning } = part;
      const url = /^(https?|data):/i.test(data) ? data : `data:${mediaType};base64,${data}`;
      if (ofReasoning) return is7 ? [{ type: 'reasoning-file', url, mediaType }] : [];
      return [{ type: 'file', url, mediaType }];
    }
    case 'source':
      return sourceChunk(part);
    case 'tool-call':
      return part.ranBy ? [inputChunk({ ...part, id: `${prefix}.${part.id}` })] : [];
    case 'tool-result': {
      const of = { toolCallId: `${prefix}.${part.id}`, dynamic: true } as const;
      const { result } = part;
      const errorText = typeof result === 'string' ? result : JSON.stringify(result);
      return part.isError
        ? [{ type: 'tool-output-error', ...of, errorText }]
        : [{ type: 'tool-output-available', ...of, output: result }];
    }
    default:
      return [];
  }
}

function sourceChunk({
  id: sourceId,
  url,
  title,
  mediaType,
  filename,
}: Extract<JournaledPart, { type: 'source' }>): UiChunk[] {
  if (url !== undefined)
    return [{ type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }];
  if (mediaType === undefined) return [];
  const named = title ?? filename ?? sourceId;
  return [
    {
      type: 'source-document',
      sourceId,
      mediaType,
      title: named,
      ...(filename !== undefined && { filename }),
    },
  ];
}

/**
 * A call as the model asked for it. It is run elsewhere than in the page, unless that is told later. Whether an input that is no JSON is
 * wrong its tool knows, and says with its result.
 */
export function inputChunk({ id, name, input }: Pick<JournaledCall, 'id' | 'name' | 'input'>): UiChunk {
  const parsed = parseToolInput(name, input);
  const of = { toolCallId: id, toolName: name, dynamic: true, providerExecuted: true } as const;
  return { type: 'tool-input-available', ...of, input: parsed.ok ? parsed.input : input };
}
