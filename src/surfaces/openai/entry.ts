/** The entry `holdfast/surfaces/openai`: clients of OpenAI talk to a Worker unchanged. */

import { LIVE_TEXT } from '../../modules/live-text/live-text.ts';
import { createModule, type ModuleUse } from '../../tool/module-use.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { defineRoute, useOfRoutes } from '../../worker/module-routes.ts';
import { createCompletion } from './chat.ts';
import { agentNamed } from './read-body.ts';
import { answered, refuse, refuseSent } from './refuse.ts';
import { cancelResponse, createResponse, getResponse } from './responses.ts';

export { openAiDescription } from './describe.ts';

const OPENAI = createModule({ name: 'openai' });

/** When agents were made is nowhere written down. */
const toModel = ({ name }: RouteAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'holdfast' });

const MODEL_ROUTES = [
  defineRoute({
    method: 'GET',
    path: '/v1/models',
    refuse,
    handle: ({ agents }) => Response.json({ object: 'list', data: agents.map(toModel) }),
  }),
  defineRoute({
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
  return useOfRoutes(
    OPENAI,
    [
      ...MODEL_ROUTES,
      defineRoute({
        method: 'POST',
        path: '/v1/responses',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createResponse(asked)),
      }),
      defineRoute({
        method: 'GET',
        path: '/v1/responses/{id}',
        streams: true,
        refuse,
        handle: (asked, { id }) => answered(() => getResponse(asked, id)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/responses/{id}/cancel',
        refuse,
        handle: (asked, { id }) => answered(() => cancelResponse(asked, id)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/chat/completions',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createCompletion(asked)),
      }),
    ],
    LIVE_TEXT,
  );
}
