/** The protocols of OpenAI over the sessions of an app. */
import type { ModuleUse } from '../../tool/module-use.ts';
import { defineSurface, type SurfaceAgent, surfaceRoute } from '../define-surface.ts';
import { createCompletion } from './chat.ts';
import { agentNamed } from './read-body.ts';
import { answered, refuse, refuseSent } from './refuse.ts';
import { cancelResponse, createResponse, getResponse } from './responses.ts';

/** When agents were made is nowhere written down. */
const toModel = ({ name }: SurfaceAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'holdfast' });

const MODEL_ROUTES = [
  surfaceRoute({
    method: 'GET',
    path: '/v1/models',
    refuse,
    handle: ({ agents }) => Response.json({ object: 'list', data: agents.map(toModel) }),
  }),
  surfaceRoute({
    method: 'GET',
    path: '/v1/models/{model}',
    refuse,
    handle: ({ agents }, { model }) =>
      answered(async () => Response.json(toModel(agentNamed(model, agents)))),
  }),
];

/**
 * Makes a Worker speak to unchanged clients of OpenAI, at `/v1`: responses and chat completions, where a model is an agent. Give it to
 * `createHoldfast({ use })`.
 *
 * @example
 * ```ts
 * const support = defineAgent({ name: 'support', description: 'Helps.', instructions: 'Help.' });
 * const holdfast = createHoldfast({ agents: [support], use: [openAi()] });
 * ```
 */
export function openAi(): ModuleUse {
  return defineSurface({
    name: 'openai',
    routes: [
      ...MODEL_ROUTES,
      surfaceRoute({
        method: 'POST',
        path: '/v1/responses',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createResponse(asked)),
      }),
      surfaceRoute({
        method: 'GET',
        path: '/v1/responses/{id}',
        streams: true,
        refuse,
        handle: (asked, { id }) => answered(() => getResponse(asked, id)),
      }),
      surfaceRoute({
        method: 'POST',
        path: '/v1/responses/{id}/cancel',
        refuse,
        handle: (asked, { id }) => answered(() => cancelResponse(asked, id)),
      }),
      surfaceRoute({
        method: 'POST',
        path: '/v1/chat/completions',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createCompletion(asked)),
      }),
    ],
  });
}
