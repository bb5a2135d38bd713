import { isCallToolResult } from '@modelcontextprotocol/client';
import { type ElicitRequest, ElicitResultSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { CallInterrupted } from '../../../../doors/tools.ts';
import {
  createFakeServer,
  type FakeExtra,
  type FakeTool,
  type RecordedRequest,
} from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

class SuspensionError extends CallInterrupted {
  override readonly name = 'SuspensionError';
}

const question = {
  message: 'Sure?',
  requestedSchema: { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } },
};

/** A tool that sends a request to the client, and returns the response. */
const createAskingTool = (request: Parameters<FakeExtra['sendRequest']>[0]): FakeTool => ({
  name: 'ask',
  run: async (_, { sendRequest }) => {
    const answer = await sendRequest(request, ResultSchema).catch(({ code, message }) => ({ code, message }));
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  },
});
const elicitingTool = createAskingTool({ method: 'elicitation/create', params: question });

/** Returns the response that the tool `ask` received. */
async function callAndClose(tool: FakeTool, options: Parameters<typeof callOptions>[0] = {}, config = {}) {
  const connection = await open(createFakeServer({ tools: [tool] }), config);
  const answer = await connection.callTool(createRemoteCall('ask'), callOptions(options));
  const [first] = isCallToolResult(answer) ? answer.content : [];
  return JSON.parse(first?.type === 'text' ? first.text : '');
}

describe('progress and logs', () => {
  it('reach their own call and every other running call', async () => {
    const gate = Promise.withResolvers<void>();
    const working: FakeTool = {
      name: 'work',
      run: async (_, { _meta, sendNotification }) => {
        const progressToken = _meta?.progressToken ?? '';
        const params = { progressToken, progress: 1, total: 2, message: 'Half' };
        await sendNotification({ method: 'notifications/progress', params });
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'info', data: { a: 1 } },
        });
        return { content: [] };
      },
    };
    const waiting: FakeTool = {
      name: 'wait',
      run: async () => {
        await gate.promise;
        return { content: [] };
      },
    };
    const connection = await open(createFakeServer({ tools: [working, waiting] }));
    const told: unknown[] = [];
    const createListeningOptions = (who: string) =>
      callOptions({ progress: (said) => told.push([who, said]), log: (said) => told.push([who, said]) });
    const other = connection.callTool(createRemoteCall('wait'), createListeningOptions('other'));
    await connection.callTool(createRemoteCall('work'), createListeningOptions('one'));
    gate.resolve();
    await other;
    expect(told).toEqual([
      ['one', { progress: 1, total: 2, message: 'Half' }],
      ['other', { level: 'info', data: { a: 1 } }],
      ['one', { level: 'info', data: { a: 1 } }],
    ]);
  });

  it('do not reach a call that has ended', async () => {
    const told: unknown[] = [];
    const late: FakeTool = {
      name: 'late',
      run: async (_, { sendNotification }) => {
        const params = { progressToken: 1, progress: 1 };
        await sendNotification({ method: 'notifications/progress', params });
        return { content: [] };
      },
    };
    const connection = await open(createFakeServer({ tools: [late] }));
    await connection.callTool(createRemoteCall('late'), callOptions());
    await connection.callTool(createRemoteCall('late'), callOptions({ progress: (said) => told.push(said) }));
    expect(told).toEqual([]);
  });
});

describe('an elicitation', () => {
  it('is answered by the running call, and the server receives the answer', async () => {
    const asked: ElicitRequest['params'][] = [];
    const answer = await callAndClose(elicitingTool, {
      elicit: async (params) => {
        asked.push(params);
        return { action: 'accept', content: { sure: true } };
      },
    });
    expect(answer).toEqual({ action: 'accept', content: { sure: true } });
    expect(asked).toEqual([question]);
  });

  it('is answered by the call of its stream if several calls run', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const confirm: FakeTool = {
      name: 'confirm',
      run: async (_, { sendRequest }) => {
        if (++running === 2) both.resolve();
        await both.promise;
        const params = { ...question };
        const { content } = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
        return { content: [], structuredContent: { ...content } };
      },
    };
    const connection = await open(createFakeServer({ tools: [confirm] }));
    const answers = ['Ada', 'Bob'].map((who) =>
      connection.callTool(
        createRemoteCall('confirm'),
        callOptions({ elicit: async () => ({ action: 'accept', content: { who } }) }),
      ),
    );
    expect((await Promise.all(answers)).map(({ structuredContent }) => structuredContent)).toEqual([
      { who: 'Ada' },
      { who: 'Bob' },
    ]);
  });

  it('is refused if several calls run and it does not identify its call', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const confirm: FakeTool = {
      ...elicitingTool,
      run: async (args, extra) => {
        if (++running === 2) both.resolve();
        await both.promise;
        return elicitingTool.run(args, extra);
      },
    };
    const connection = await open(createFakeServer({ kind: 'sse', tools: [confirm] }));
    const answers = await Promise.all(
      [1, 2].map(() => connection.callTool(createRemoteCall('ask'), callOptions())),
    );
    expect(answers[0]?.content).toEqual([
      {
        type: 'text',
        text: JSON.stringify({
          code: -32600,
          message:
            'MCP error -32600: The question cannot be asked: it is unknown which call asks. Ask on the stream of the call.',
        }),
      },
    ]);
  });

  it('is answered over the old transport if one call runs', async () => {
    const connection = await open(createFakeServer({ kind: 'sse', tools: [elicitingTool] }));
    const { content } = await connection.callTool(createRemoteCall('ask'), callOptions());
    expect(content).toEqual([{ type: 'text', text: '{"action":"decline"}' }]);
  });

  it('suspends the call, and the server receives a cancellation instead of an answer', async () => {
    const suspended = new SuspensionError();
    const other: FakeTool = { name: 'other', run: () => ({ content: [] }) };
    const server = createFakeServer({ tools: [elicitingTool, other] });
    const connection = await open(server);
    const elicit = () => Promise.reject(suspended);
    expect(await getRejection(connection.callTool(createRemoteCall('ask'), callOptions({ elicit })))).toBe(
      suspended,
    );
    const cancelled = await server.request(({ rpc }) => rpc === 'notifications/cancelled');
    expect(JSON.parse(cancelled.body).params).toEqual({ requestId: 1, reason: 'The call was cancelled.' });
    // An answer would have been sent before this call.
    await connection.callTool(createRemoteCall('other'), callOptions());
    expect(server.requests.filter(isAnswer)).toEqual([]);
  });

  it('is answered with an error, without the reason, if asking fails', async () => {
    const elicit = () => Promise.reject(new Error('planted'));
    expect(await callAndClose(elicitingTool, { elicit })).toEqual({
      code: -32603,
      message: 'MCP error -32603: The question could not be asked.',
    });
  });

  it('is refused if the client refuses elicitations', async () => {
    expect(await callAndClose(elicitingTool, {}, { elicitation: 'refuse' })).toEqual({
      code: -32601,
      message: 'MCP error -32601: This client does not let servers ask people.',
    });
  });

  it('is refused if it sends the person to a URL', async () => {
    const params = { mode: 'url' as const, message: 'Pay', url: 'https://evil.test/', elicitationId: '1' };
    expect(await callAndClose(createAskingTool({ method: 'elicitation/create', params }))).toEqual({
      code: -32602,
      message: 'MCP error -32602: Client does not support URL-mode elicitation requests',
    });
  });

  it('is answered at most ten times per call', async () => {
    const insisting: FakeTool = {
      name: 'ask',
      run: async (_, { sendRequest }) => {
        const answers: unknown[] = [];
        for (let times = 0; times < 11; times++) {
          const asked = sendRequest({ method: 'elicitation/create', params: question }, ResultSchema);
          answers.push(await asked.catch(({ code, message }) => ({ code, message })));
        }
        return { content: [{ type: 'text', text: JSON.stringify(answers) }] };
      },
    };
    expect(await callAndClose(insisting)).toEqual([
      ...Array.from({ length: 10 }, () => ({ action: 'decline' })),
      { code: -32600, message: 'MCP error -32600: One call can ask people at most 10 times.' },
    ]);
  });

  it('is refused if no call runs', async () => {
    let extra: FakeExtra | undefined;
    const leaking: FakeTool = {
      name: 'leak',
      run: (_, given) => {
        extra = given;
        return { content: [] };
      },
    };
    const connection = await open(createFakeServer({ kind: 'sse', tools: [leaking] }));
    await connection.callTool(createRemoteCall('leak'), callOptions());
    const asked = extra?.sendRequest({ method: 'elicitation/create', params: question }, ElicitResultSchema);
    expect(await getRejection(Promise.resolve(asked))).toMatchObject({
      code: -32600,
      message:
        'MCP error -32600: The question cannot be asked: no call is running. Ask on the stream of the call.',
    });
  });
});

describe('another request from a server', () => {
  it.each<[string, Parameters<typeof createAskingTool>[0], string]>([
    [
      'sampling',
      { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
      'This client does not support sampling: servers cannot use its models. Declare what the tool needs as its input.',
    ],
    ['roots', { method: 'roots/list' }, 'This client has no roots: it shares no files.'],
    [
      'a task',
      { method: 'tasks/get', params: { taskId: 'x' } },
      "This client does not know the method 'tasks/get'.",
    ],
  ])('is refused: %s', async (_, request, message) => {
    expect(await callAndClose(createAskingTool(request))).toEqual({
      code: -32601,
      message: `MCP error -32601: ${message}`,
    });
  });

  it('is answered if it is a ping', async () => {
    expect(await callAndClose(createAskingTool({ method: 'ping' }))).toEqual({});
  });

  it.each(['sessions', 'sse'] as const)(
    'is answered at most twelve times per connection (%s)',
    async (kind) => {
      const pinging: FakeTool = {
        name: 'ping',
        run: async (_, { sendRequest }) => {
          for (let times = 0; times < 101; times++)
            void sendRequest({ method: 'ping' }, ResultSchema).catch(() => 0);
          return new Promise(() => undefined);
        },
      };
      const server = createFakeServer({ kind, tools: [pinging] });
      const connection = await open(server, { transport: kind === 'sse' ? 'sse' : undefined });
      await getRejection(
        connection.callTool(createRemoteCall('ping'), callOptions({ signal: AbortSignal.timeout(300) })),
      );
      expect(server.requests.filter(isAnswer)).toHaveLength(12);
    },
  );
});

const isAnswer = ({ body, rpc }: RecordedRequest) => body !== '' && rpc === undefined;
