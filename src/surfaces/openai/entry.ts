/** The entry `holdfast/surfaces/openai`: unmodified OpenAI clients can talk to a Worker. */

import { LOOPS } from '../../loop/loop-seams.ts';
import { ConfigurationError } from '../../model/configuration-error.ts';
import { LIVE_TEXT_PARTS } from '../../modules/live-text/live-text.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse } from '../../tool/module-use.ts';
import { describeValue } from '../../tool/shown.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { createRoutesUse, defineRoute } from '../../worker/module-routes.ts';
import { createErrorWording, type Tell } from '../../worker/tell.ts';
import { type CallerInstructions, declareExtras } from './asked.ts';
import { createCompletion } from './chat.ts';
import type { OpenAiLists } from './lists/entry.ts';
import { findAgentByModel } from './read-body.ts';
import { createErrorResponder, withErrorResponse } from './refuse.ts';
import { cancelResponse, createResponse, getResponse, type OpenAiSurface } from './responses.ts';

export type { CallerInstructions } from './asked.ts';
export { openAiDescription } from './describe.ts';

const OPENAI_MODULE = createModule({ name: 'openai' });

/** Returns an agent as a model. Its creation time is not known. */
const toModel = ({ name }: RouteAgent) => ({ id: name, object: 'model', created: 0, owned_by: 'holdfast' });

const createModelRoutes = (refuse: ReturnType<typeof createErrorResponder>) => [
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
      withErrorResponse(async () => Response.json(toModel(findAgentByModel(model, agents)))),
  }),
];

/** The configuration of `openAi`. */
export interface OpenAiConfig {
  /**
   * How to treat the instructions of a client: `instructions`, and messages of the roles `system` and
   * `developer`. `append` shows them to the model for this turn as text from the caller, after the agent's own
   * instructions, which they cannot change. `ignore` drops them. `refuse` returns 400. Defaults to `append`.
   */
  readonly instructions?: CallerInstructions | undefined;
  /**
   * The agents for model names that clients send, as in `{ 'gpt-5.5': 'support' }`. Programs with a hardcoded
   * OpenAI model then run unchanged. By default, the only model names are the names of agents.
   */
  readonly models?: Readonly<Record<string, string>> | undefined;
  /**
   * `openAiLists()` from `holdfast/surfaces/openai/lists`: clients can list conversations and the input of
   * responses, and delete both. These routes do not exist by default.
   */
  readonly lists?: OpenAiLists | undefined;
  /**
   * Returns the error text to show to the user of the client. By default, a short sentence replaces the
   * messages of providers, tools and the Worker, which appear only in the log. In development, a request from
   * your own machine sees the full message.
   */
  readonly tell?: Tell | undefined;
}

/**
 * Adds OpenAI-compatible routes for responses and chat completions at `/v1`, where each agent is a model.
 * Pass it in `use` of `createHoldfast`.
 *
 * @throws ConfigurationError if a setting is invalid.
 *
 * @example
 * ```ts
 * const support = defineAgent({ name: 'support', description: 'Helps.', instructions: 'Help.' });
 * const holdfast = createHoldfast({ agents: [support], use: [openAi()] });
 * ```
 */
export function openAi(config: OpenAiConfig = {}): ModuleUse {
  const fault = literals?.fault(config, CONFIG_SHAPE);
  if (fault) throw new ConfigurationError(`openAi ${fault.problem}.`);
  const { instructions = 'append' } = config;
  if (!INSTRUCTION_MODES.includes(instructions))
    throw new ConfigurationError(
      `openAi has ${describeValue(instructions)} as its 'instructions'. Use ${INSTRUCTION_MODES.join(', ')}.`,
    );
  const { models = {}, lists, tell } = config;
  const surface: OpenAiSurface = { mode: instructions, models, tellerOf: createErrorWording('openAi', tell) };
  const refuse = createErrorResponder(surface.tellerOf);
  const refuseSent = createErrorResponder(surface.tellerOf, true);
  const use = createRoutesUse(
    OPENAI_MODULE,
    [
      ...createModelRoutes(refuse),
      defineRoute({
        method: 'POST',
        path: '/v1/responses',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => withErrorResponse(() => createResponse(asked, surface)),
      }),
      defineRoute({
        method: 'GET',
        path: '/v1/responses/{id}',
        streams: true,
        refuse,
        handle: (asked, { id }) => withErrorResponse(() => getResponse(asked, id, surface)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/responses/{id}/cancel',
        refuse,
        handle: (asked, { id }) => withErrorResponse(() => cancelResponse(asked, id, surface)),
      }),
      defineRoute({
        method: 'POST',
        path: '/v1/chat/completions',
        streams: true,
        isCounted: true,
        refuse: refuseSent,
        handle: (asked) => withErrorResponse(() => createCompletion(asked, surface)),
      }),
      ...(lists?.routes(surface, refuse) ?? []),
    ],
    LIVE_TEXT_PARTS,
  );
  LOOPS.give(use, { declare: declareExtras });
  return use;
}

const INSTRUCTION_MODES: readonly CallerInstructions[] = ['append', 'ignore', 'refuse'];

const CONFIG_SHAPE = {
  of: 'openAi',
  keys: { instructions: 'any', models: 'object', lists: 'object', tell: 'function' },
  required: [],
  foreign: { system: 'instructions', systemPrompt: 'instructions', aliases: 'models', onError: 'tell' },
} satisfies LiteralShape<keyof OpenAiConfig>;
