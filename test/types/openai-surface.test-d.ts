/** The data that a Worker sends to OpenAI clients fits their types. */
import type OpenAI from 'openai';
import { describe, expectTypeOf, it } from 'vitest';
import { openAi } from '../../src/surfaces/openai/entry.ts';
import type {
  ChatChunk,
  Conversation,
  ListedItem,
  ResponseEvent,
  ResponseObject,
} from '../doors/surfaces.ts';

/** The client adds the joined text itself. */
type Wire<Type> = Type extends { readonly response: infer Whole }
  ? Omit<Type, 'response'> & { readonly response: Omit<Whole, 'output_text'> }
  : Type;

describe('the OpenAI surface', () => {
  it('returns responses of the client’s type', () => {
    expectTypeOf<ResponseObject>().toExtend<Omit<OpenAI.Responses.Response, 'output_text'>>();
  });
  it('streams response events of the client’s type', () => {
    expectTypeOf<ResponseEvent>().toExtend<Wire<OpenAI.Responses.ResponseStreamEvent>>();
  });
  it('returns conversations and messages of the client’s types', () => {
    expectTypeOf<Conversation>().toExtend<OpenAI.Conversations.Conversation>();
    expectTypeOf<Extract<ListedItem, { role: 'assistant' }>>().toExtend<OpenAI.Conversations.Message>();
  });
  it('streams chat completion chunks of the client’s type', () => {
    expectTypeOf<ChatChunk>().toExtend<OpenAI.Chat.ChatCompletionChunk>();
  });
});

it('openAi accepts only known modes for the instructions of clients', () => {
  openAi({ instructions: 'ignore' });
  // @ts-expect-error there is no such mode
  openAi({ instructions: 'prepend' });
});
