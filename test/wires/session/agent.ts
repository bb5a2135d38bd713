/** The agent of the wires run, with tools of every kind and effect. A separate process counts the effects. */
import * as v from 'valibot';
import {
  type Agent,
  type CallContext,
  type ChatModel,
  content,
  defineAgent,
  defineTool,
  image,
} from '../../../src/index.ts';
import { after, definePlaybook, defineStateMachine, defineUnfolding } from '../../../src/kinds/entry.ts';
import { createMcpToolFactory, defineMcpClient, type McpClientConfig } from '../../../src/mcp/tools/entry.ts';
import { decodeBase64, SHOT_IMAGE } from './files.ts';
import type { LoopName } from './script.ts';

/** An execution of a tool. */
export interface Effect {
  readonly agent: string;
  readonly tool: string;
  /** The id of the call. */
  readonly call: string;
  /** The idempotency key of the effect. */
  readonly key: string;
}

export interface WiresAgent {
  readonly name: string;
  /** The model of each loop. */
  readonly models: Readonly<Record<LoopName, ChatModel>>;
  /** Accepted media types, for models that do not declare theirs. */
  readonly accepts?: readonly string[] | undefined;
  /** The URL of an MCP server with the tool `get-tiny-image`. */
  readonly mcp: Pick<McpClientConfig, 'url' | 'fetch'>;
  /** Records the effect. */
  readonly recordEffect: (effect: Effect) => Promise<void>;
}

type Input = Readonly<Record<string, v.GenericSchema>>;

/** Creates the agent of one session. */
export function defineWiresAgent({
  name: agent,
  models,
  accepts,
  mcp,
  recordEffect: act,
}: WiresAgent): Agent {
  const createTool = <const Name extends string>(
    name: Name,
    effect: 'read' | 'idempotent' | 'once',
    input: Input = {},
  ) =>
    defineTool({
      name,
      description: `Does ${name}.`,
      effect,
      input: v.object(input),
      async run(asked, { id, idempotencyKey }: CallContext) {
        await act({ agent, tool: name, call: id, key: idempotencyKey });
        return { done: name, of: asked };
      },
    });
  const search = createTool('search', 'read', { query: v.string() });
  const analyze = createTool('analyze', 'idempotent', { text: v.string() });
  return defineAgent({
    name: agent,
    description: 'Does what its script says.',
    instructions: 'Do one step after another.',
    model: models.main,
    accepts,
    tools: [
      createTool('look', 'read', { page: v.number(), words: v.array(v.string()) }),
      defineTool({
        name: 'shot',
        description: 'Takes a shot of the screen.',
        effect: 'read',
        input: v.object({ at: v.number() }),
        async run(_, { id, idempotencyKey }: CallContext) {
          await act({ agent, tool: 'shot', call: id, key: idempotencyKey });
          return content(['A shot:', image(decodeBase64(SHOT_IMAGE), 'image/png'), 'Done.']);
        },
      }),
      createPictures(mcp),
      createTool('save', 'idempotent', { text: v.string() }),
      createTool('pay', 'once', { amount: v.number() }),
      defineUnfolding({
        name: 'files',
        description: 'Works with files.',
        tools: [
          createTool('read_file', 'read', { path: v.string() }),
          createTool('write_file', 'idempotent', { path: v.string(), text: v.string() }),
        ],
      }),
      definePlaybook({
        name: 'research',
        description: 'Researches a topic.',
        input: v.object({ topic: v.string() }),
        key: ({ topic }) => topic,
        model: models.research,
        tools: [search],
        locked: [
          { tool: analyze, unlockedBy: after(search) },
          { tool: createTool('report', 'once', { text: v.string() }), unlockedBy: after(analyze) },
        ],
      }),
      defineStateMachine({
        name: 'order',
        description: 'Processes one order.',
        input: v.object({ id: v.number() }),
        key: ({ id }) => String(id),
        model: models.order,
        initial: 'draft',
        states: {
          draft: [
            createTool('add', 'idempotent', { item: v.string() }),
            { tool: createTool('confirm', 'idempotent'), to: 'confirmed' },
          ],
          confirmed: [{ tool: createTool('ship', 'idempotent'), to: 'shipped' }],
          shipped: [],
        },
        everywhere: [createTool('status', 'read')],
      }),
    ],
  });
}

/** The MCP tool that returns an image. Its server is listed only when the factory tool is called. */
const createPictures = ({ url, fetch }: WiresAgent['mcp']) =>
  createMcpToolFactory({
    // The timeouts are long, so that a slow machine is not mistaken for a lost server.
    clients: [
      defineMcpClient({ name: 'everything', url, fetch, connectTimeout: PATIENCE_MS, timeout: PATIENCE_MS }),
    ],
  }).unfoldingByName('pictures', 'Works with pictures.', ['get-tiny-image']);

const PATIENCE_MS = 60_000;
