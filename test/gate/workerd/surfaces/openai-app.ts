import OpenAI, { type ClientOptions } from 'openai';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { appWith } from '../http/app.ts';
import type { Send } from '../http/client.ts';

/** A Worker that speaks OpenAI, over the objects of the tests. */
export const speaking: Send = appWith({ agents: [scripted, clerk], surfaces: [openAi()] });

/** The real client, whose requests go to it. */
export const clientOf = (via: Send = speaking, options: Partial<ClientOptions> = {}): OpenAI =>
  new OpenAI({
    baseURL: 'http://localhost/v1',
    apiKey: 'none',
    fetch: (input, init) => via(String(input), init),
    ...options,
  });
