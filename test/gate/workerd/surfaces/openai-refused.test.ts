import { describe, expect, it } from 'vitest';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { readJson } from '../http/client.ts';
import { createOpenAiClient, openAiApp } from './openai-app.ts';

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await openAiApp(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { error } = await readJson(response);
  return { status: response.status, retry: response.headers.get('x-should-retry'), error };
};

const createRefusal = (message: string, param: string | null, code: string, status = 400) => ({
  status,
  retry: null,
  error: { message, type: 'invalid_request_error', param, code },
});

const createInvalidValue = (param: string, what: string) =>
  createRefusal(`Invalid value for '${param}'. It must be ${what}.`, param, 'invalid_value');
const createNotAccepted = (param: string, instead: string) =>
  createRefusal(`Holdfast does not support '${param}': ${instead}`, param, 'unsupported_parameter');

const IN_CODE_TEXT = 'the instructions of an agent are in its code.';
const CHOICE_TEXT = "the agent's model chooses. Send 'auto', or leave it out.";
const LABEL_TEXT =
  "the tools of an agent are in its code. tools[0] may only be a function, or a tool of type mcp with server_label 'holdfast'.";
const FILE_TEXT = 'a data URL of base64, or an https URL';

/** Returns an id in the form of responses. */
const encodeId = (prefix: string, inside: string): string => `${prefix}_${btoa(inside).replace(/=+$/, '')}`;

const createApproval = (inside: string) => ({
  type: 'mcp_approval_response',
  approval_request_id: encodeId('mcpr', inside),
  approve: true,
});

describe('a request for a response', () => {
  it.each<[string, object, ReturnType<typeof createRefusal>]>([
    [
      'no model',
      { model: undefined },
      createInvalidValue('model', 'the name of an agent, which GET /v1/models lists'),
    ],
    [
      'an unknown model',
      { model: 'gpt-5' },
      createRefusal(
        "The model 'gpt-5' does not exist. GET /v1/models lists those that do.",
        'model',
        'model_not_found',
        404,
      ),
    ],
    ['invalid instructions', { instructions: 7 }, createInvalidValue('instructions', 'text')],
    ['a prompt', { prompt: { id: 'p' } }, createNotAccepted('prompt', IN_CODE_TEXT)],
    ['an OpenAI tool', { tools: [{ type: 'web_search' }] }, createNotAccepted('tools', LABEL_TEXT)],
    ['an invalid tool', { tools: [7] }, createInvalidValue('tools[0]', 'an object')],
    [
      'another server label',
      { tools: [{ type: 'mcp', server_label: 'other' }] },
      createNotAccepted('tools', LABEL_TEXT),
    ],
    ['tools that are no list', { tools: 'all' }, createInvalidValue('tools', 'a list')],
    ['a forced tool', { tool_choice: 'required' }, createNotAccepted('tool_choice', CHOICE_TEXT)],
    ['an invalid text option', { text: 5 }, createInvalidValue('text', 'an object')],
    [
      'a schema without a type',
      { text: { format: { type: 'json_schema', name: 'a', schema: {} } } },
      createInvalidValue('text.format.schema', 'a JSON Schema of an object'),
    ],
    [
      'a limit of calls',
      { max_tool_calls: 1 },
      createNotAccepted('max_tool_calls', 'the settings of an agent are in its code.'),
    ],
    [
      'an unknown parameter',
      { magic: true },
      createRefusal("Unknown parameter: 'magic'.", 'magic', 'unknown_parameter'),
    ],
    ['an invalid flag', { stream: 'yes' }, createInvalidValue('stream', 'true or false')],
    ['invalid metadata', { metadata: { a: 1 } }, createInvalidValue('metadata', 'an object of strings')],
    [
      'an unknown response',
      { previous_response_id: 'resp_1' },
      createRefusal(
        "Response with id 'resp_1' not found.",
        'previous_response_id',
        'previous_response_not_found',
      ),
    ],
    [
      'an invalid conversation',
      { conversation: 7 },
      createInvalidValue('conversation', 'the id of a session, or { id }'),
    ],
    ['no input', { input: undefined }, createInvalidValue('input', 'text, or a list of items')],
    ['an empty input', { input: [] }, createInvalidValue('input', 'text, or a list of items')],
    ['an invalid item', { input: ['Hello'] }, createInvalidValue('input[0]', 'an object')],
    [
      'instructions alone',
      { input: [{ role: 'system', content: 'Be kind.' }] },
      createInvalidValue('input', 'a list that ends with a message of the user, or with answers'),
    ],
    [
      'nobody',
      { input: [{ role: 'nobody', content: 'Hello' }] },
      createInvalidValue('input[0].role', 'user, assistant, system or developer'),
    ],
    [
      'an item of another kind',
      { input: [{ type: 'web_search_call', id: 'x' }] },
      createInvalidValue(
        'input[0].type',
        'message, mcp_approval_response, function_call_output or an item of a response',
      ),
    ],
    [
      'a history with unknown ids',
      {
        input: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
          { role: 'user', content: 'c' },
        ],
      },
      createRefusal(
        "The input contains no assistant message of this server. Send 'previous_response_id' or 'conversation'.",
        'input',
        'unknown_conversation',
      ),
    ],
    [
      'no content',
      { input: [{ role: 'user' }] },
      createInvalidValue('input[0].content', 'text, or a list of parts'),
    ],
    [
      'an invalid image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://a.example/b.png' }] }] },
      createInvalidValue('input[0].content[0].image_url', FILE_TEXT),
    ],
    [
      'a file that was uploaded',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      createNotAccepted(
        'input[0].content[0].file_id',
        'there are no uploads. Send the file with its data or its URL.',
      ),
    ],
    [
      'a custom compaction',
      { context_management: [{ type: 'compaction' }] },
      createNotAccepted('context_management', 'the settings of an agent are in its code.'),
    ],
    [
      'a part of another kind',
      { input: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      createInvalidValue('input[0].content[0].type', 'input_text, input_image or input_file'),
    ],
    [
      'a file without bytes',
      { input: [{ role: 'user', content: [{ type: 'input_file' }] }] },
      createInvalidValue('input[0].content[0]', 'a file with its data or its URL'),
    ],
    [
      'only known items',
      { input: [{ type: 'reasoning', id: encodeId('rs', 'scripted/s1/t.1/0'), summary: [] }] },
      createInvalidValue('input', 'a list that ends with a message of the user, or with answers'),
    ],
    [
      'a message together with an answer',
      { input: [{ role: 'user', content: 'Hello' }, createApproval('scripted/s1/t.1.1/1')] },
      createInvalidValue('input', 'a message or answers to calls, not both'),
    ],
    [
      'a denied approval with an input',
      { input: [{ ...createApproval('scripted/s1/t.1.1/1'), approve: false, input: {} }] },
      createInvalidValue('input[0].input', 'an object, beside approve: true'),
    ],
    [
      'answers to two sessions',
      { input: [createApproval('scripted/s1/t.1.1/1'), createApproval('scripted/s2/t.1.1/1')] },
      createInvalidValue('input', 'a list with answers of one session'),
    ],
    [
      'an answer from another agent',
      { input: [createApproval('clerk/s1/t.1.1/1')] },
      createRefusal("This session belongs to the model 'clerk'.", 'model', 'invalid_value'),
    ],
    [
      'an answer to an unknown call',
      { input: [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_x', approve: true }] },
      createRefusal(
        "Invalid value for 'input[0].approval_request_id'. It must be an id from a response.",
        'input[0].approval_request_id',
        'invalid_value',
      ),
    ],
  ])('with %s is refused, with the reason', async (_, body, told) => {
    expect(await post('/v1/responses', { model: 'scripted', input: 'Hello', ...body })).toEqual(told);
  });

  it('gets the protocol’s error if it is not JSON or is too large', async () => {
    expect(await post('/v1/responses', '{')).toEqual(
      createRefusal('The body is not JSON.', null, 'bad_json'),
    );
    expect(await post('/v1/responses', { model: 'x'.repeat(2_000_000) })).toMatchObject({
      status: 413,
      error: { type: 'invalid_request_error', code: 'body_too_large' },
    });
  });

  it('can have empty fields', async () => {
    const { message } = registerScript('Hi.');
    const empty = { conversation: '', previous_response_id: '', instructions: '', prompt: null, text: {} };
    const asked = { model: 'scripted', input: message(), tools: [], metadata: null, ...empty };
    expect((await createOpenAiClient().responses.create(asked)).output_text).toBe('Hi.');
  });

  it('is not repeated if its session is busy', async () => {
    const reply = createHeldReply('Done.');
    const { message } = registerScript(reply.reply);
    const client = createOpenAiClient();
    const conversation = crypto.randomUUID();
    await client.responses.create({ model: 'scripted', input: message(), conversation, background: true });
    await reply.asked();
    const refused = await post('/v1/responses', { model: 'scripted', input: 'Hello', conversation });
    expect(refused).toMatchObject({
      status: 409,
      retry: 'false',
      error: { code: 'session_busy', type: 'invalid_request_error', param: null },
    });
    // The error omits the REST API's parameters for this, because they do not exist here.
    expect(refused.error).toHaveProperty(
      'message',
      expect.stringMatching(
        /^The session is busy with turn (\w+)\. Send the message again when it has ended \(GET \/agents\/scripted\/sessions\/[\w-]+ shows it\)\.$/,
      ),
    );
    reply.release();
  });

  it('is refused with the pending calls if its session waits', async () => {
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to: 'a shop', amount: 2 } }] });
    const conversation = crypto.randomUUID();
    await createOpenAiClient().responses.create({ model: 'clerk', input: message(), conversation });
    const { error } = await post('/v1/responses', { model: 'clerk', input: 'Hello', conversation });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^Turn \w+ waits for an answer from outside\. Answer its pending calls\.$/),
    );
  });

  it('is accepted only once under its key', async () => {
    const { message, model } = registerScript('Once.', 'Twice.');
    const create = () =>
      createOpenAiClient().responses.create(
        { model: 'scripted', input: message() },
        { headers: { 'idempotency-key': `k${message().slice(-36)}` } },
      );
    const first = await create();
    const second = await create();
    expect([second.id, second.output_text]).toEqual([first.id, 'Once.']);
    expect(model.requests).toHaveLength(1);
  });
});

describe('an id of another caller', () => {
  const createClientFor = (id: string) =>
    createOpenAiClient(createTestApp({ agents: [scripted, clerk], use: [openAi()], auth: () => ({ id }) }));

  it('is not found if it is invalid', async () => {
    const client = createOpenAiClient();
    for (const inside of [
      'scripted/%2e/t/0',
      'scripted/a b/t/0',
      'scripted/s/t/-1',
      `scripted/${'s'.repeat(129)}/t/0`,
    ]) {
      const asked = client.responses.retrieve(encodeId('resp', inside));
      await expect(asked).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
    }
  });

  it('is not found', async () => {
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] }, 'Done.');
    const theirs = await createClientFor('ada').responses.create({ model: 'clerk', input: message() });
    const mine = createClientFor('ben');
    const answer = {
      type: 'mcp_approval_response',
      approval_request_id: theirs.output[0]?.id ?? '',
      approve: true,
    } as const;
    for (const ask of [
      () => mine.responses.retrieve(theirs.id),
      () => mine.responses.cancel(theirs.id),
      () => mine.responses.create({ model: 'clerk', input: 'Hello', previous_response_id: theirs.id }),
      () => mine.responses.create({ model: 'clerk', input: [answer] }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ status: 404, code: 'unknown_session' });
    }
  });
});

describe('an unknown caller', () => {
  it('gets the protocol’s error', async () => {
    const send = createTestApp({ agents: [scripted], use: [openAi()], auth: () => null });
    const response = await send('/v1/models');
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([401, 'false']);
    expect(await readJson(response)).toMatchObject({
      error: { type: 'authentication_error', code: 'unauthorized' },
    });
  });
});

describe('an unknown route', () => {
  const NOTHING = 'There is no such route. A response begins the conversation that it names.';
  const error = { message: NOTHING, type: 'invalid_request_error', param: null, code: 'unknown_route' };

  it('returns the protocol’s error', async () => {
    expect(await post('/v1/conversations', {})).toEqual({ status: 404, retry: null, error });
    const client = createOpenAiClient();
    for (const ask of [
      () => client.conversations.items.list('c'),
      () => client.responses.inputItems.list('resp_1'),
      () => client.embeddings.create({ model: 'scripted', input: 'Hello' }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ status: 404, error });
    }
  });

  it('returns the protocol’s error below the path of the app too, and only there', async () => {
    const send = createTestApp({ agents: [scripted], use: [openAi()], http: { basePath: '/ai' } });
    expect(await readJson(await send('/ai/v1/files'))).toEqual({ error });
    expect(await readJson(await send('/v1/files'))).toEqual({ error });
    for (const path of ['/ai/v2/files', '/ai/nothing', '/v1s']) {
      const { type } = await readJson(await send(path));
      expect([path, type]).toEqual([path, 'urn:holdfast:problem:unknown-route']);
    }
  });

  it('returns the protocol’s error even if the path of the app is in the middle of another path', async () => {
    const send = createTestApp({ agents: [scripted], use: [openAi()], http: { basePath: '/a' } });
    expect(await readJson(await send('/v1/audio'))).toEqual({ error });
    const { type } = await readJson(await send('/ab/v1/audio'));
    expect(type).toBe('urn:holdfast:problem:unknown-route');
    expect(await readJson(await send('/a/v1/audio'))).toEqual({ error });
  });

  it('is hidden from unknown callers', async () => {
    const send = createTestApp({ agents: [scripted], use: [openAi()], auth: () => null });
    const response = await send('/v1/conversations');
    expect([response.status, (await readJson(response)).error]).toMatchObject([
      401,
      { type: 'authentication_error' },
    ]);
  });
});

describe('a model name that is an alias of an agent', () => {
  const via = createTestApp({
    agents: [scripted],
    use: [openAi({ models: { 'gpt-5.5': 'scripted', 'gpt-4': 'nobody' } })],
  });

  it('runs the agent, in both protocols', async () => {
    const { message } = registerScript('One.', 'Two.');
    const client = createOpenAiClient(via);
    const response = await client.responses.create({ model: 'gpt-5.5', input: message() });
    expect([response.output_text, response.model]).toEqual(['One.', 'scripted']);
    const messages = [{ role: 'user' as const, content: message() }];
    const { choices } = await client.chat.completions.create({ model: 'gpt-5.5', messages });
    expect(choices[0]?.message.content).toBe('Two.');
  });

  it.each(['gpt-4', 'toString'])('is unknown as %s, which is not the name of an agent', async (model) => {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    await expect(createOpenAiClient(via).chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('/v1/models', () => {
  it('lists the agents', async () => {
    const client = createOpenAiClient();
    const model = { object: 'model', created: 0, owned_by: 'holdfast' };
    const { data } = await client.models.list();
    expect(data).toEqual([
      { id: 'scripted', ...model },
      { id: 'clerk', ...model },
    ]);
    expect(await client.models.retrieve('clerk')).toEqual({ id: 'clerk', ...model });
    await expect(client.models.retrieve('gpt-5')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

describe('a request for a chat completion', () => {
  it.each<[string, object, ReturnType<typeof createRefusal>]>([
    ['no messages', { messages: [] }, createInvalidValue('messages', 'a list of messages')],
    [
      'an assistant message at the end',
      { messages: [{ role: 'assistant', content: 'Hello' }] },
      createInvalidValue('messages', 'a list that ends with a message of the user or of a tool'),
    ],
    [
      'instructions alone',
      { messages: [{ role: 'system', content: 'Be kind.' }] },
      createInvalidValue('messages', 'a list that ends with a message of the user or of a tool'),
    ],
    [
      'nobody',
      { messages: [{ role: 'nobody' }] },
      createInvalidValue('messages[0].role', 'user, assistant, tool, system or developer'),
    ],
    ['several answers', { n: 2 }, createNotAccepted('n', 'a session has one answer.')],
    [
      'an unknown response format',
      { response_format: { type: 'grammar' } },
      createInvalidValue('response_format.type', 'text, json_object or json_schema'),
    ],
    [
      'an audio answer',
      { modalities: ['text', 'audio'] },
      createNotAccepted('modalities', 'answers are text.'),
    ],
    [
      'a forced function',
      { function_call: { name: 'add' } },
      createNotAccepted('function_call', "the agent's model chooses."),
    ],
    [
      'moderation',
      { moderation: { model: 'm' } },
      createNotAccepted('moderation', 'answers are not moderated.'),
    ],
    ['a stop sequence', { stop: ['\n'] }, createNotAccepted('stop', "the agent's model ends its answers.")],
    [
      'the result of an unknown call',
      { messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'x' }] },
      createInvalidValue('messages[0].tool_call_id', 'the id of a call from a completion'),
    ],
    [
      'results for two conversations',
      {
        messages: ['one', 'two'].map((session) => ({
          role: 'tool',
          tool_call_id: encodeId('call', `scripted/${session}/t.3.0/1`),
          content: 'x',
        })),
      },
      createInvalidValue('messages', 'a list with answers of one session'),
    ],
    [
      'an invalid image',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,!' } }] },
        ],
      },
      createInvalidValue('messages[0].content[0].image_url.url', FILE_TEXT),
    ],
    [
      'an audio part',
      { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      createInvalidValue('messages[0].content[0].type', 'text, image_url or file'),
    ],
  ])('with %s is refused, with the reason', async (_, body, told) => {
    const hello = [{ role: 'user', content: 'Hello' }];
    expect(await post('/v1/chat/completions', { model: 'scripted', messages: hello, ...body })).toEqual(told);
  });

  it('can ignore case in the choice of its response, and have empty fields', async () => {
    const { message } = registerScript('Hi.');
    const messages = [{ role: 'user' as const, content: message() }];
    const asked = { modalities: ['text' as const], function_call: 'auto' as const, stop: [], tools: [] };
    const { choices } = await createOpenAiClient().chat.completions.create({
      model: 'scripted',
      messages,
      ...asked,
    });
    expect(choices[0]?.message.content).toBe('Hi.');
  });
});
