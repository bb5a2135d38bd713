/** What a Worker sends to clients of OpenAI has the types of these clients. */
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

/** The client adds the joined text by itself. */
type Wire<Type> = Type extends { readonly response: infer Whole }
  ? Omit<Type, 'response'> & { readonly response: Omit<Whole, 'output_text'> }
  : Type;

describe('what is sent', () => {
  it('is a response', () => {
    expectTypeOf<ResponseObject>().toExtend<Omit<OpenAI.Responses.Response, 'output_text'>>();
  });
  it('is an event of its stream', () => {
    expectTypeOf<ResponseEvent>().toExtend<Wire<OpenAI.Responses.ResponseStreamEvent>>();
  });
  it('is a conversation and its items, but that their lists are not read-only', () => {
    expectTypeOf<Conversation>().toExtend<OpenAI.Conversations.Conversation>();
    expectTypeOf<Extract<ListedItem, { role: 'assistant' }>>().toExtend<OpenAI.Conversations.Message>();
  });
  it('is a chunk of a chat completion', () => {
    expectTypeOf<ChatChunk>().toExtend<OpenAI.Chat.ChatCompletionChunk>();
  });
});

it('openAi takes what becomes of the instructions of clients, and nothing else', () => {
  openAi({ instructions: 'ignore' });
  // @ts-expect-error it is no mode
  openAi({ instructions: 'prepend' });
});
