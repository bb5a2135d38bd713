/** The protocols of OpenAI over the sessions of an app. */
import type { Surface } from '../../worker/route.ts';
import { defineSurface, type SurfaceAgent, surfaceRoute } from '../define-surface.ts';
import { createCompletion } from './chat.ts';
import {
  CANCEL_ANSWERS,
  COMPLETION_ANSWERS,
  MODEL_ANSWERS,
  MODELS_ANSWERS,
  NEW_COMPLETION,
  NEW_RESPONSE,
  READING,
  REFUSAL,
  RESPONSE_ANSWERS,
  SENDING,
} from './describe.ts';
import { agentNamed } from './read-body.ts';
import { answered, refuse, refuseSent } from './refuse.ts';
import { cancelResponse, createResponse, getResponse } from './responses.ts';

/** How problems are told: of what was only read, and of what may have been taken. */
const READ = { refusal: REFUSAL, refuse };
const SENT = { refusal: REFUSAL, refuse: refuseSent };

/** When agents were made is nowhere written down. */
const toModel = ({ name }: SurfaceAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'holdfast' });

const MODEL_ROUTES = [
  surfaceRoute({
    method: 'GET',
    path: '/v1/models',
    summary: 'Lists the agents, as models of OpenAI',
    answers: MODELS_ANSWERS,
    ...READ,
    handle: ({ agents }) => Response.json({ object: 'list', data: agents.map(toModel) }),
  }),
  surfaceRoute({
    method: 'GET',
    path: '/v1/models/{model}',
    summary: 'Shows an agent, as a model of OpenAI',
    answers: MODEL_ANSWERS,
    ...READ,
    handle: ({ agents }, { model }) =>
      answered(async () => Response.json(toModel(agentNamed(model, agents)))),
  }),
];

/**
 * Makes a Worker speak to unchanged clients of OpenAI, at `/v1`: responses and chat completions, where a model is an agent. Give it to
 * `createHoldfast({ surfaces })`.
 *
 * @example
 * ```ts
 * const support = defineAgent({ name: 'support', description: 'Helps.', instructions: 'Help.' });
 * const holdfast = createHoldfast({ agents: [support], surfaces: [openAi()] });
 * ```
 */
export function openAi(): Surface {
  return defineSurface({
    name: 'openai',
    routes: [
      ...MODEL_ROUTES,
      surfaceRoute({
        method: 'POST',
        path: '/v1/responses',
        summary: 'Sends a message, or answers of calls, as a response of OpenAI',
        isCounted: true,
        parameters: SENDING,
        body: NEW_RESPONSE,
        answers: RESPONSE_ANSWERS,
        ...SENT,
        handle: (asked) => answered(() => createResponse(asked)),
      }),
      surfaceRoute({
        method: 'GET',
        path: '/v1/responses/{id}',
        summary: 'Shows a response of OpenAI, or its events behind a number',
        parameters: READING,
        answers: RESPONSE_ANSWERS,
        ...READ,
        handle: (asked, { id }) => answered(() => getResponse(asked, id)),
      }),
      surfaceRoute({
        method: 'POST',
        path: '/v1/responses/{id}/cancel',
        summary: 'Stops the turn of a response of OpenAI',
        answers: CANCEL_ANSWERS,
        ...READ,
        handle: (asked, { id }) => answered(() => cancelResponse(asked, id)),
      }),
      surfaceRoute({
        method: 'POST',
        path: '/v1/chat/completions',
        summary: 'Sends a message, or answers of calls, as a chat of OpenAI',
        isCounted: true,
        parameters: SENDING,
        body: NEW_COMPLETION,
        answers: COMPLETION_ANSWERS,
        ...SENT,
        handle: (asked) => answered(() => createCompletion(asked)),
      }),
    ],
  });
}
