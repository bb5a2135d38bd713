import { expectTypeOf } from 'vitest';
import {
  defineMcpEndpoint,
  defineMcpPrompt,
  defineMcpResource,
  type McpAsked,
  type McpResource,
  type McpResourceValues,
  mcpContents,
} from '../../src/mcp/server/entry.ts';

// The URI variables of a template determine the type of its values.
const lines = defineMcpResource({
  name: 'lines',
  uri: 'orders://{order}/lines/{line}',
  title: undefined,
  ttlMs: 1000,
  cacheScope: 'public',
  read(values, asked) {
    expectTypeOf(values).toEqualTypeOf<{ readonly order: string; readonly line: string }>();
    expectTypeOf(asked).toEqualTypeOf<McpAsked>();
    // @ts-expect-error there is no such variable
    return [values.order, values.oder];
  },
  list: async ({ principal }) => [{ values: { order: principal.id, line: '1' }, name: 'The first' }],
  complete: {
    order(typed, { values, env, secrets }) {
      expectTypeOf(typed).toEqualTypeOf<string>();
      expectTypeOf(values).toEqualTypeOf<Readonly<Record<string, string>>>();
      return [typed, String(env), secrets.get('b') ?? ''];
    },
  },
});
expectTypeOf(lines).toEqualTypeOf<McpResource<'orders://{order}/lines/{line}'>>();

// A template without variables has no values, and cannot list or complete.
const policy = defineMcpResource({
  name: 'policy',
  uri: 'policy://returns',
  mimeType: 'text/markdown',
  read(values) {
    expectTypeOf(values).toEqualTypeOf<McpResourceValues<'policy://returns'>>();
    // @ts-expect-error there are no values
    values.order;
    return '# Returns';
  },
});
const base = { name: 'x', read: () => 'x' };
// @ts-expect-error a uri without variables has one resource
defineMcpResource({ ...base, uri: 'a://b', list: () => [] });
// @ts-expect-error it has no variable
defineMcpResource({ ...base, uri: 'a://b', complete: { c: () => [] } });
// @ts-expect-error it has no such variable
defineMcpResource({ ...base, uri: 'a://{b}', complete: { c: () => [] } });
// @ts-expect-error a listed resource has values for its variables
defineMcpResource({ ...base, uri: 'a://{b}', list: () => [{ values: { c: '1' } }] });
// @ts-expect-error a scope is public or private
defineMcpResource({ ...base, uri: 'a://b', cacheScope: 'shared' });
// @ts-expect-error `read` is missing
defineMcpResource({ name: 'x', uri: 'a://b' });

// Only templates of level 1 (RFC 6570) are accepted.
// @ts-expect-error an operator
defineMcpResource({ ...base, uri: 'a://{+path}' });
// @ts-expect-error an operator of a query
defineMcpResource({ ...base, uri: 'a://b{?q}' });
// @ts-expect-error a modifier
defineMcpResource({ ...base, uri: 'a://{b*}' });
// @ts-expect-error a prefix
defineMcpResource({ ...base, uri: 'a://{b:3}' });
// @ts-expect-error two names in one variable
defineMcpResource({ ...base, uri: 'a://{b,c}' });
// @ts-expect-error a variable without a name
defineMcpResource({ ...base, uri: 'a://{}' });
// @ts-expect-error no text between two variables
defineMcpResource({ ...base, uri: 'a://{b}{c}' });
// @ts-expect-error an opening brace alone
defineMcpResource({ ...base, uri: 'a://{b' });
// @ts-expect-error a closing brace alone
defineMcpResource({ ...base, uri: 'a://b}/{c}' });
// @ts-expect-error the wrong variable comes second
defineMcpResource({ ...base, uri: 'a://{b}/{#c}' });

// If the URI is known only at run time, it can have any values.
const uri: string = JSON.parse('"a://{b}"');
defineMcpResource({ ...base, uri, read: ({ b }) => b });

// The results that `read` can return.
interface Row {
  readonly id: string;
}
const row: Row = { id: '1' };
defineMcpResource({ ...base, uri: 'a://row', read: () => row });
defineMcpResource({ ...base, uri: 'a://rows', read: async () => [row] });
defineMcpResource({ ...base, uri: 'a://bytes', read: () => new Uint8Array(1) });
defineMcpResource({ ...base, uri: 'a://none', read: (): Row | null => null });
defineMcpResource({
  ...base,
  uri: 'a://some',
  read: () => mcpContents([{ text: 'a' }, { uri: 'a://b', mimeType: 'image/png', bytes: new Uint8Array(1) }]),
});
// @ts-expect-error a content has a text or bytes
mcpContents([{ uri: 'a://b' }]);

// An endpoint accepts resources, and literals of resources.
defineMcpEndpoint({ resources: [lines, policy, { ...base, uri: 'a://b' }] });
// @ts-expect-error a resource has a uri
defineMcpEndpoint({ resources: [base] });

// The arguments of a prompt determine the type of its values, even if they have completions.
defineMcpPrompt({
  name: 'summary',
  description: 'Sums up.',
  arguments: [
    { name: 'order', required: true, complete: (typed, { principal }) => [`${principal.id}-${typed}`] },
    { name: 'style', complete: async () => ['plain'] },
  ],
  messages(values) {
    expectTypeOf(values.order).toEqualTypeOf<string>();
    expectTypeOf(values.style).toEqualTypeOf<string | undefined>();
    return values.order;
  },
});
