import { defineMcpResource, type McpResource } from '../../../../src/mcp/server/entry.ts';
import { PNG } from './samples.ts';

/** The resources for the suite's server scenarios. */
export const serverResources: readonly McpResource[] = [
  defineMcpResource({
    name: 'static-text',
    uri: 'test://static-text',
    description: 'A text that stays.',
    read: () => 'This is the content of the static text resource.',
  }),
  defineMcpResource({
    name: 'static-binary',
    uri: 'test://static-binary',
    description: 'An image that stays.',
    mimeType: 'image/png',
    read: () => Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0)),
  }),
  defineMcpResource({
    name: 'template-data',
    uri: 'test://template/{id}/data',
    description: 'Data by an id.',
    read: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
];
