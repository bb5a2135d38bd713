/** Parameters that a client repeats in headers, for a proxy in front of the Worker. */

import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { McpEndpointDefinitionError } from '../../../../../src/mcp/server/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import { readJson } from '../../http/client.ts';
import { callTool, createEndpointApp, getTexts } from './talk.ts';
import { sendRequest } from './task-talk.ts';

type Properties = Readonly<Record<string, object>>;

const createSellTool = (properties: Properties, run: () => string = () => 'Sold.') =>
  defineTool({
    name: 'sell',
    description: 'Sells.',
    effect: 'once',
    input: jsonSchema({ type: 'object', properties }),
    run,
  });

const SHOP = {
  region: { type: 'string', 'x-mcp-header': 'Region' },
  count: { type: 'integer', 'x-mcp-header': 'Count' },
  at: { type: 'object', properties: { night: { type: 'boolean', 'x-mcp-header': 'Night' } } },
};

const callSell = (arguments_: object, headers: Readonly<Record<string, string>>, run?: () => string) =>
  sendRequest(
    createEndpointApp({ tools: [createSellTool(SHOP, run)] }),
    'tools/call',
    { name: 'sell', arguments: arguments_ },
    { capabilities: {}, headers },
  );

describe('a call whose parameters are repeated in headers', () => {
  it.each<[string, object, Record<string, string>]>([
    [
      'as plain text',
      { region: 'eu', count: 2, at: { night: true } },
      { region: 'eu', count: '2', night: 'true' },
    ],
    ['in Base64', { region: 'Łódź' }, { region: '=?base64?xYHDs2TFug==?=' }],
    ['as a number in another notation', { count: 2 }, { count: '2.0' }],
    ['as text that only looks like Base64', { region: '=?base64?eHh4' }, { region: '=?base64?eHh4' }],
    ['if the body has no value', {}, { region: 'eu' }],
    ['if the body has null', { at: null }, {}],
  ])('is accepted with the headers %s', async (_, input, sent) => {
    const headers = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [`mcp-param-${name}`, value]),
    );
    const response = await callSell(input, headers);
    expect(response.status).toBe(200);
  });

  it.each<[string, object, Record<string, string>, string, string]>([
    [
      'a header is missing',
      { region: 'eu' },
      {},
      'Mcp-Param-Region',
      'the body carries region="eu" but the Mcp-Param-Region header is absent',
    ],
    [
      'a header has another value',
      { region: 'eu' },
      { 'mcp-param-region': 'us' },
      'Mcp-Param-Region',
      'the body carries region="eu" but the Mcp-Param-Region header says "us"',
    ],
    [
      'a header is repeated',
      { region: 'eu' },
      { 'mcp-param-region': 'eu, us' },
      'Mcp-Param-Region',
      'the body carries region="eu" but the Mcp-Param-Region header says "eu, us"',
    ],
    [
      'the header of a nested parameter is missing',
      { at: { night: false } },
      {},
      'Mcp-Param-Night',
      'the body carries at.night=false but the Mcp-Param-Night header is absent',
    ],
    [
      'a number differs',
      { count: 2 },
      { 'mcp-param-count': '3' },
      'Mcp-Param-Count',
      'the body carries count=2 but the Mcp-Param-Count header says "3"',
    ],
    [
      'a header is invalid Base64',
      { region: 'eu' },
      { 'mcp-param-region': '=?base64?ZXU?=' },
      'Mcp-Param-Region',
      'the Mcp-Param-Region header says that it is Base64, and is not',
    ],
    [
      'a header is Base64 of invalid UTF-8',
      { region: 'eu' },
      { 'mcp-param-region': '=?base64?/w==?=' },
      'Mcp-Param-Region',
      'the Mcp-Param-Region header says that it is Base64, and is not',
    ],
  ])('has no effect if %s', async (_, input, headers, header, body) => {
    const run = vi.fn(() => 'Sold.');
    const response = await callSell(input, headers, run);
    const message = `Bad Request: the request headers and body disagree: ${body}`;
    const error = { code: -32020, message, data: { mismatch: { header, body } } };
    expect([response.status, await readJson(response)]).toEqual([400, { jsonrpc: '2.0', error, id: 1 }]);
    expect(run).not.toHaveBeenCalled();
  });

  it('needs no headers from a client of an earlier revision', async () => {
    const answer = await callTool(createEndpointApp({ tools: [createSellTool(SHOP)] }), 'sell', {
      region: 'eu',
    });
    expect(getTexts(answer)).toEqual(['Sold.']);
  });
});

describe('a tool', () => {
  it.each<[Properties, string]>([
    [
      { a: { type: 'string', 'x-mcp-header': 'A B' } },
      'has the `x-mcp-header` "A B" at \'a\'. Use only characters that a header name can have.',
    ],
    [
      { a: { type: 'string', 'x-mcp-header': 7 } },
      "has the `x-mcp-header` 7 at 'a'. Use only characters that a header name can have.",
    ],
    [
      { a: { type: 'number', 'x-mcp-header': 'A' } },
      'has the `x-mcp-header` "A" at \'a\'. Only a string, an integer or a boolean can be a header.',
    ],
    [
      { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } },
      'has the `x-mcp-header` "a" at \'b\', which another parameter also has.',
    ],
    [
      { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } },
      'has the `x-mcp-header` "A" at \'a.items\'. Only a property of its input, or of an object in it, can be a header.',
    ],
  ])('cannot be published with invalid headers: %j', (properties, problem) => {
    const publish = () => createEndpointApp({ tools: [createSellTool(properties)] });
    expect(publish).toThrow(new McpEndpointDefinitionError('tools[0]', `the tool 'sell' ${problem}`));
  });
});
