/**
 * Converts the texts of people, models and tools in a turn to attributes of its spans, for apps that enable
 * it.
 */
import type { StoredEvent } from '../../journal/events.ts';
import { getModelText, truncateText } from '../../tool/tool-result.ts';
import type { CallNode, ModelNode } from '../timeline/timeline.ts';
import type { Attributes } from './conventions.ts';

/** The maximum number of characters of an attribute. */
const MAX_CHARACTERS = 16_384;

export interface TurnContent {
  ofTurn(): Attributes;
  ofModel(node: ModelNode): Attributes;
  ofCall(node: CallNode): Attributes;
}

/** Reads the texts from the events of a turn. The journal contains no secrets. */
export function collectContent(events: readonly StoredEvent[]): TurnContent {
  const bySeq = new Map(events.map((event) => [event.seq, event]));
  const inputs = new Map<string, string>();
  for (const event of events)
    if (event.type === 'model-replied') for (const { id, input } of event.toolCalls) inputs.set(id, input);
  return {
    ofTurn() {
      const started = events.find((event) => event.type === 'turn-started');
      const answer = events.findLast((event) => event.type === 'model-replied' && event.frame === undefined);
      return {
        'gen_ai.input.messages': started && formatMessages('user', started.message),
        'gen_ai.output.messages':
          answer?.type === 'model-replied'
            ? formatMessages('assistant', answer.text, answer.finish)
            : undefined,
      };
    },
    ofModel({ seqs }) {
      const reply = seqs.map((seq) => bySeq.get(seq)).find((event) => event?.type === 'model-replied');
      if (reply?.type !== 'model-replied') return {};
      return { 'gen_ai.output.messages': formatMessages('assistant', reply.text, reply.finish) };
    },
    ofCall({ id, seqs }) {
      const ended = seqs.map((seq) => bySeq.get(seq)).find((event) => event?.type === 'tool-call-ended');
      return {
        'gen_ai.tool.call.arguments': truncate(inputs.get(id)),
        'gen_ai.tool.call.result':
          ended?.type === 'tool-call-ended' ? truncate(getModelText(ended.result)) : undefined,
      };
    },
  };
}

/** Returns a list with one message, in the JSON that the conventions define. */
const formatMessages = (role: string, content: string, finish?: string): string =>
  JSON.stringify([
    { role, parts: [{ type: 'text', content: truncate(content) }], ...(finish && { finish_reason: finish }) },
  ]);

const truncate = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : truncateText(text, MAX_CHARACTERS);
