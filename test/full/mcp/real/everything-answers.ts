import { expect } from 'vitest';

/** A call of a tool of the everything server that only returns a result. */
export type AnsweredCall = readonly [
  tool: string,
  input: Readonly<Record<string, unknown>>,
  /** The result as the model receives it. */
  shows: unknown,
  /** The artifacts of the result. Defaults to no artifacts. */
  artifacts?: readonly { readonly type?: string; readonly value: unknown }[],
];

/** Tools that the server lists but our calls cannot run. They require tasks (MCP specification, Tasks). */
export const TASKS = ['simulate-research-query'];

export const ASKING_TOOLS = ['trigger-elicitation-request'];

const HIDDEN = '[1 block is for the user only]';

const withContent = (...content: readonly unknown[]) => [{ type: 'McpContent', value: { content } }];

const createText = (words: unknown) => ({ type: 'text', text: words });
/** An image for the user only, so it does not become a file. */
const hiddenImage = {
  type: 'image',
  mimeType: 'image/png',
  data: expect.stringMatching(/^iVBORw0KGgo.{5000,}$/),
};
/** Matches a file of a result whose bytes are stored elsewhere, with this size in bytes. */
const createBytesMatcher = (size: unknown) => ({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), size });
const createAnnotations = (priority: number, ...audience: readonly string[]) => ({
  annotations: { priority, audience },
});

const formatResourceUri = (path: string): string => `demo://resource/${path}`;

const answersOfContent: readonly AnsweredCall[] = [
  [
    'get-annotated-message',
    { messageType: 'error', includeImage: true },
    `Error: Operation failed\n\n${HIDDEN}`,
    withContent(
      { ...createText('Error: Operation failed'), ...createAnnotations(1, 'user', 'assistant') },
      { ...hiddenImage, ...createAnnotations(0.5, 'user') },
    ),
  ],
  [
    'get-annotated-message',
    { messageType: 'success' },
    HIDDEN,
    withContent({ ...createText('Operation completed successfully'), ...createAnnotations(0.7, 'user') }),
  ],
  ['get-annotated-message', { messageType: 'debug' }, 'Debug: Cache hit ratio 0.95, latency 150ms'],
  [
    'get-tiny-image',
    {},
    expect.stringMatching(
      /^Here's the image you requested:\n\n\[file [0-9a-f]{64}: image\/png, 4,033 bytes\]\n\n\(The file .*\)\n\nThe image above is the MCP logo\.$/,
    ),
    withContent(
      createText("Here's the image you requested:"),
      { type: 'image', mimeType: 'image/png', data: createBytesMatcher(4_033) },
      createText('The image above is the MCP logo.'),
    ),
  ],
  [
    'get-resource-links',
    { count: 2 },
    'Here are 2 resource links to resources available in this server:\n\n' +
      `[resource link: Blob Resource 1 (${formatResourceUri('dynamic/blob/1')}), text/plain: Resource 1: plaintext resource]\n\n` +
      `[resource link: Text Resource 2 (${formatResourceUri('dynamic/text/2')}), text/plain: Resource 2: plaintext resource]`,
    withContent(
      createText('Here are 2 resource links to resources available in this server:'),
      ...[formatResourceUri('dynamic/blob/1'), formatResourceUri('dynamic/text/2')].map((uri) =>
        expect.objectContaining({ type: 'resource_link', uri }),
      ),
    ),
  ],
  [
    'get-resource-reference',
    { resourceType: 'Text', resourceId: 1 },
    expect.stringMatching(
      /^Returning .* 1:\n\n\[resource demo:.*\/text\/1, text\/plain\]\nResource 1: This is a plaintext .*\n\nYou can access /,
    ),
    withContent(
      createText('Returning resource reference for Resource 1:'),
      {
        type: 'resource',
        resource: {
          uri: formatResourceUri('dynamic/text/1'),
          mimeType: 'text/plain',
          text: expect.stringMatching(/^Resource 1: This is a plaintext/),
        },
      },
      createText(`You can access this resource using the URI: ${formatResourceUri('dynamic/text/1')}`),
    ),
  ],
  [
    'get-resource-reference',
    { resourceType: 'Blob', resourceId: 2 },
    expect.stringMatching(
      /^Returning .* 2:\n\n\[resource demo:.*\/blob\/2\]\n\n\[file .*: text\/plain, "2", \d\d bytes\]\nResource 2: .*\n\nYou can access /,
    ),
    withContent(
      createText('Returning resource reference for Resource 2:'),
      {
        type: 'resource',
        resource: {
          uri: formatResourceUri('dynamic/blob/2'),
          mimeType: 'text/plain',
          blob: createBytesMatcher(expect.any(Number)),
        },
      },
      createText(`You can access this resource using the URI: ${formatResourceUri('dynamic/blob/2')}`),
    ),
  ],
  [
    'get-resource-reference',
    { resourceId: -1 },
    'Error: Invalid resourceId: -1. Must be a finite positive integer.',
  ],
  [
    'gzip-file-as-resource',
    { data: 'data:text/plain,hello', name: 'a.gz' },
    `[resource link: a.gz (${formatResourceUri('session/a.gz')}), application/gzip]`,
    withContent({
      type: 'resource_link',
      uri: formatResourceUri('session/a.gz'),
      name: 'a.gz',
      mimeType: 'application/gzip',
    }),
  ],
  [
    'gzip-file-as-resource',
    { data: 'data:text/plain,hello', name: 'a.gz', outputType: 'resource' },
    expect.stringMatching(
      /^\[resource demo:.*\/a\.gz\]\n\n\[file .*: application\/gzip, "a\.gz", \d\d bytes\]\n\n\(The file .*\)$/,
    ),
    withContent({
      type: 'resource',
      resource: {
        uri: formatResourceUri('session/a.gz'),
        mimeType: 'application/gzip',
        blob: createBytesMatcher(expect.any(Number)),
      },
    }),
  ],
];

/** Every tool that only returns a result, with each kind of content. */
export const answers: readonly AnsweredCall[] = [
  ['echo', { message: 'Grüße, 世界!' }, 'Echo: Grüße, 世界!'],
  ['get-sum', { a: 2, b: 3.5 }, 'The sum of 2 and 3.5 is 5.5.'],
  ['get-env', {}, expect.stringContaining('"GREETING": "Hello from the environment."')],
  ...answersOfContent,
  [
    'get-structured-content',
    { location: 'Chicago' },
    '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}',
    [{ value: { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 } }],
  ],
  ['toggle-simulated-logging', {}, expect.stringMatching(/^Started simulated, random-leveled logging/)],
  ['toggle-subscriber-updates', {}, expect.stringMatching(/^Started simulated resource updated/)],
  [
    'trigger-long-running-operation',
    { duration: 0.1, steps: 2 },
    'Long running operation completed. Duration: 0.1 seconds, Steps: 2.',
  ],
];
