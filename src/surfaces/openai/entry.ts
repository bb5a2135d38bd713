/** The entry `holdfast/surfaces/openai`: clients of OpenAI talk to a Worker unchanged. */

import { LOOPS } from '../../loop/loop-seams.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { LIVE_TEXT } from '../../modules/live-text/live-text.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse } from '../../tool/module-use.ts';
import { shown } from '../../tool/shown.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { defineRoute, useOfRoutes } from '../../worker/module-routes.ts';
import { type Tell, tellerOf } from '../../worker/tell.ts';
import { type CallerInstructions, declareAsked } from './asked.ts';
import { createCompletion } from './chat.ts';
import type { OpenAiLists } from './lists/entry.ts';
import { agentNamed } from './read-body.ts';
import { answered, refusing } from './refuse.ts';
import { cancelResponse, createResponse, getResponse, type OpenAiSurface } from './responses.ts';

export type { CallerInstructions } from './asked.ts';
export { openAiDescription } from './describe.ts';

const OPENAI = createModule({ name: 'openai' });

/** When agents were made is nowhere written down. */
const toModel = ({ name }: RouteAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'holdfast' });

const modelRoutes = (refuse: ReturnType<typeof refusing>) => [
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

/** The literal that `openAi` takes. */
export interface OpenAiConfig {
  /**
   * What becomes of the instructions of a client: `instructions`, and messages of the roles `system` and `developer`. `append` shows them
   * to the model for this turn, as words of the caller behind the agent's own instructions, which they cannot change; `ignore` leaves them
   * out; `refuse` returns 400. Defaults to `append`.
   */
  readonly instructions?: CallerInstructions | undefined;
  /**
   * The name of the agent for a model that clients name, as in `{ 'gpt-5.5': 'support' }`: so a program runs whose code names a model of OpenAI.
   * The names of agents are models without it.
   */
  readonly models?: Readonly<Record<string, string>> | undefined;
  /**
   * `openAiLists()` of `holdfast/surfaces/openai/lists`: clients list conversations and the input of responses, and delete both. Without it
   * there are no such routes.
   */
  readonly lists?: OpenAiLists | undefined;
  /**
   * Words what went wrong for the person who uses the client. Without it, what a provider, a tool or the Worker says is replaced by a short
   * sentence, and is in the log alone; in development, a request from your own machine is shown everything.
   */
  readonly tell?: Tell | undefined;
}

/**
 * Makes a Worker speak to unchanged clients of OpenAI, at `/v1`: responses and chat completions, where a model is an agent. Give it to
 * `createHoldfast({ use })`.
 *
 * @throws ConfigurationError if a setting is none.
 *
 * @example
 * ```ts
 * const support = defineAgent({ name: 'support', description: 'Helps.', instructions: 'Help.' });
 * const holdfast = createHoldfast({ agents: [support], use: [openAi()] });
 * ```
 */
export function openAi(config: OpenAiConfig = {}): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ConfigurationError(`openAi ${fault.problem}.`);
  const { instructions = 'append' } = config;
  if (!MODES.includes(instructions))
    throw new ConfigurationError(
      `openAi: its instructions is ${shown(instructions)}: use ${MODES.join(', ')}.`,
    );
  const { models = {}, lists, tell } = config;
  const surface: OpenAiSurface = { mode: instructions, models, tellerOf: tellerOf('openAi', tell) };
  const refuse = refusing(surface.tellerOf);
  const refuseSent = refusing(surface.tellerOf, true);
  const use = useOfRoutes(
    OPENAI,
    [
      ...modelRoutes(refuse),
      defineRoute({
        method: 'POST',
        path: '/v1/responses',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createResponse(asked, surface)),
      }),
      defineRoute({
        method: 'GET',
        path: '/v1/responses/{id}',
        streams: true,
        refuse,
        handle: (asked, { id }) => answered(() => getResponse(asked, id, surface)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/responses/{id}/cancel',
        refuse,
        handle: (asked, { id }) => answered(() => cancelResponse(asked, id, surface)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/chat/completions',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => answered(() => createCompletion(asked, surface)),
      }),
      ...(lists?.routes(surface, refuse) ?? []),
    ],
    LIVE_TEXT,
  );
  LOOPS.give(use, { declare: declareAsked });
  return use;
}

const MODES: readonly CallerInstructions[] = ['append', 'ignore', 'refuse'];

const SHAPE = {
  of: 'openAi',
  keys: { instructions: 'any', models: 'object', lists: 'object', tell: 'function' },
  required: [],
  foreign: { system: 'instructions', systemPrompt: 'instructions', aliases: 'models', onError: 'tell' },
} satisfies LiteralShape<keyof OpenAiConfig>;
