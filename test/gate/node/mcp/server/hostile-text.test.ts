/**
 * Hostile text from clients: the server reads back every value that it issued, and rejects all other text.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createParamHeaders,
  expand,
  findHeadersMismatch,
  findHeadersProblem,
  findUriProblem,
  matchUri,
  parseRequestState,
  readEventId,
  readTaskId,
  type SeenStream,
  StreamPosition,
  type Task,
  toRequestState,
  toTaskId,
  toTemplate,
} from '../../../../doors/mcp.ts';

const RUN_OPTIONS = { numRuns: 300, seed: 20_261_123 };

/** Text without unpaired surrogates, which headers, URIs and our JSON cannot contain. */
const createArbitraryText = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.string({ unit: 'binary', minLength, maxLength });
const createArbitraryToken = (maxLength: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9_-]{1,${maxLength}}$`));
const session = fc.stringMatching(/^[A-Za-z0-9_.:@-]{1,128}$/);

/** A text that the server issued, with a change. */
const bendText = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.nat(), createArbitraryText(3), fc.nat(4)).map(([whole, seed, other, length]) => {
    const at = seed % (whole.length + 1);
    return whole.slice(0, at) + other + whole.slice(at + length);
  });

const json = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

describe('a `requestState`', () => {
  const INVALID =
    '`requestState` does not belong to this request. Send it back unchanged, with the `name` and `arguments` ' +
    'of the first request, or omit it to start again.';
  const state = json.map((value) => toRequestState(value as Parameters<typeof toRequestState>[0])); // The value is JSON.

  /** The value that is read, or the error. */
  function tryParseState(text: string): { readonly value: unknown } | { readonly refused: unknown } {
    try {
      return { value: parseRequestState(text) };
    } catch (thrown) {
      return { refused: [Object(thrown).code, Object(thrown).message] };
    }
  }

  it('contains its data in characters that every client can send back', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = toRequestState(value as Parameters<typeof toRequestState>[0]); // The value is JSON.
        expect(text).toMatch(/^holdfast-1\.[A-Za-z0-9+/]+=*$/);
        expect(parseRequestState(text)).toEqual(value);
      }),
      RUN_OPTIONS,
    );
  });

  it('is read, or refused with the same message, for any input', () => {
    const one = fc.oneof(
      bendText(state),
      createArbitraryText(40).map((text) => `holdfast-1.${text}`),
      createArbitraryText(40),
    );
    fc.assert(
      fc.property(one, (text) => {
        const came = tryParseState(text);
        if ('refused' in came) expect(came.refused).toEqual([-32602, INVALID]);
        else expect(JSON.stringify(came.value)).toBeTypeOf('string');
      }),
      RUN_OPTIONS,
    );
    const deep = `holdfast-1.${btoa('['.repeat(60_000))}`;
    expect(tryParseState(deep)).toEqual({ refused: [-32602, INVALID] });
  });
});

describe('an event id', () => {
  const count = fc.maxSafeNat();
  const key = fc.oneof(createArbitraryText(20), fc.maxSafeInteger());
  const call = fc.record({
    name: createArbitraryToken(64),
    session,
    turn: createArbitraryToken(64),
    isNew: fc.boolean(),
    progressToken: fc.option(key, { nil: undefined }),
    seq: count,
    progress: count,
  });
  const seen: fc.Arbitrary<SeenStream> = fc.record({ id: key, call: fc.option(call, { nil: undefined }) });
  const computeFirstEventId = async (one: SeenStream): Promise<string> => {
    const position = new StreamPosition();
    position.recordCall(one);
    return position.firstEventId;
  };

  it('contains the position in header-safe characters, or is missing if it would be too long', async () => {
    await fc.assert(
      fc.asyncProperty(seen, async (one) => {
        const id = await computeFirstEventId(one);
        expect(id).toMatch(/^[\x21-\x7e]+$/);
        expect(readEventId(id)).toEqual(one.call ? one : { id: one.id });
      }),
      RUN_OPTIONS,
    );
    expect(await computeFirstEventId({ id: 'x'.repeat(2_000) })).toBe('');
  });

  it('is read as a position or rejected, for any input', () => {
    const made = fc.tuple(key, call).map(([id, { name, progressToken = null, ...one }]) => {
      const called = [name, one.session, one.turn, one.isNew, progressToken, one.seq, one.progress];
      return encodeURIComponent(JSON.stringify([id, called]));
    });
    const one = fc.oneof(
      bendText(made),
      createArbitraryText(40),
      json.map((value) => encodeURIComponent(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(one, (text) => {
        const came = readEventId(text);
        if (came === undefined) return;
        expect(['string', 'number']).toContain(typeof came.id);
        if (!came.call) return;
        expect([came.call.name, came.call.session, came.call.turn].map((part) => typeof part)).toEqual(
          Array(3).fill('string'),
        );
        expect(
          [came.call.seq, came.call.progress].every((part) => Number.isSafeInteger(part) && part >= 0),
        ).toBe(true);
      }),
      RUN_OPTIONS,
    );
    expect(readEventId(encodeURIComponent('['.repeat(60_000)))).toBeUndefined();
  });
});

describe('a task id', () => {
  const named = fc.record({
    name: createArbitraryToken(64),
    session,
    turn: createArbitraryToken(64),
    isNew: fc.boolean(),
  });
  /** The id depends only on these fields of a task. */
  const createTaskId = ({
    name,
    session: id,
    turn,
    isNew,
  }: {
    name: string;
    session: string;
    turn: string;
    isNew: boolean;
  }) => toTaskId({ name, turn, isNew, target: { session: id } } as unknown as Task);

  it('identifies its turn in URI-safe characters', () => {
    fc.assert(
      fc.property(named, (one) => {
        const id = createTaskId(one);
        expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(readTaskId(id)).toEqual(one);
      }),
      RUN_OPTIONS,
    );
  });

  it('identifies a turn or is rejected, for any input', () => {
    const one = fc.oneof(
      bendText(named.map(createTaskId)),
      createArbitraryText(40),
      fc.string({ maxLength: 60 }).map((text) => btoa(text)),
    );
    fc.assert(
      fc.property(one, (id) => {
        const { name, session: found, turn } = readTaskId(id) ?? { name: 'n', session: 's', turn: 't' };
        expect([name, found, turn].every((part) => part !== '' && !part.includes('/'))).toBe(true);
      }),
      RUN_OPTIONS,
    );
    expect(readTaskId(btoa(`${'x/'.repeat(100_000)}new`))).toBeUndefined();
  });
});

describe('a URI template', () => {
  const name = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/);
  const text = fc.stringMatching(/^[\w.~:/[\]@!$&'()*+,;=-]{1,6}$|^[-.~_a]{1,2}$/);
  const template = fc
    .tuple(
      fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      fc.array(text, { minLength: 4, maxLength: 4 }),
    )
    .map(([names, texts]) => `x://${names.map((one, at) => `${texts[at]}{${one}}`).join('')}`);

  it('reads back its values from a URI that it has filled in, or refuses them', () => {
    let taken = 0;
    // The text between two variables may also occur in a value.
    const value = fc.oneof(createArbitraryText(6, 1), fc.stringMatching(/^[-.~_a]{1,4}$/));
    fc.assert(
      fc.property(template, fc.array(value, { minLength: 3, maxLength: 3 }), (uri, given) => {
        expect(findUriProblem(uri)).toBeUndefined();
        const made = toTemplate(uri);
        const values = Object.fromEntries(made.names.map((one, at) => [one, given[at] ?? '']));
        let expanded: string;
        try {
          expanded = expand(made, values);
        } catch (thrown) {
          expect(Object(thrown).message).toMatch(
            /^\{\w+\} of a uri must (be text without slashes, backslashes and control characters, and neither '\.' nor '\.\.'|not contain '.+', which follows it, or end with the start of that text)\.$/,
          );
          return;
        }
        taken += 1;
        expect(matchUri(made, expanded)).toEqual({ ok: true, values });
      }),
      RUN_OPTIONS,
    );
    expect(taken).toBeGreaterThan(50);
  });

  it('reads only values that cannot lead to another path, from any URI', () => {
    const written = fc.oneof(createArbitraryText(12), fc.stringMatching(/^[%0-9A-Fa-f./\\]{0,12}$/));
    fc.assert(
      fc.property(template, fc.array(written, { minLength: 3, maxLength: 3 }), (uri, given) => {
        const made = toTemplate(uri);
        const [first = '', ...behind] = made.texts;
        const found = matchUri(
          made,
          behind.reduce((whole, one, at) => whole + (given[at] ?? '') + one, first),
        );
        for (const value of found?.ok ? Object.values(found.values) : []) {
          expect(value).not.toMatch(/^$|^\.\.?$|[/\\\p{Cc}]/u);
        }
      }),
      RUN_OPTIONS,
    );
  });

  it('is accepted or rejected with a reason, for any text of any length', () => {
    fc.assert(
      fc.property(fc.oneof(createArbitraryText(20), bendText(template)), (uri) => {
        const problem = findUriProblem(uri);
        expect(problem === undefined || problem.length > 20).toBe(true);
      }),
      RUN_OPTIONS,
    );
    const long = toTemplate('x://{a}-{b}-{c}.{d}');
    for (const piece of ['-', 'a-', '%2d', '{', '%']) {
      const uri = `x://${piece.repeat(200_000)}`;
      expect(matchUri(long, uri)?.ok ?? false).toBe(false);
      expect(findUriProblem(uri) === undefined).toBe(piece !== '{');
    }
  });
});

describe('headers that repeat parameters', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', 'x-mcp-header': 'Text' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      inner: { type: 'object', properties: { yes: { type: 'boolean', 'x-mcp-header': 'Yes' } } },
    },
  };
  const input = fc.record(
    { text: createArbitraryText(20), count: fc.maxSafeInteger(), inner: fc.record({ yes: fc.boolean() }) },
    { requiredKeys: [] },
  );

  it('are accepted only in the form that our client writes', () => {
    fc.assert(
      fc.property(input, input, (sent, other) => {
        const headers = new Headers(createParamHeaders(schema, sent));
        expect(findHeadersMismatch(schema, sent, headers)).toBeUndefined();
        const isSame = (['text', 'count'] as const).every(
          (key) => other[key] === undefined || other[key] === sent[key],
        );
        if (!isSame) expect(findHeadersMismatch(schema, other, headers)?.body).toMatch(/^the body carries /);
      }),
      RUN_OPTIONS,
    );
  });

  it('are checked for any header value', () => {
    const held = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,30}$/);
    const value = fc.oneof(
      held,
      held.map((text) => `=?base64?${text}?=`),
      fc.base64String().map((text) => `=?base64?${text}?=`),
    );
    fc.assert(
      fc.property(value, (text) => {
        const headers = new Headers({ 'mcp-param-text': text });
        expect(findHeadersMismatch(schema, { text: 'no such value' }, headers)?.header).toBe(
          'Mcp-Param-Text',
        );
      }),
      RUN_OPTIONS,
    );
  });

  it('are declared by a valid schema, or the schema is reported as invalid', () => {
    const odd = fc.dictionary(
      createArbitraryText(4),
      fc.record({ type: json, 'x-mcp-header': json, properties: json }, { requiredKeys: [] }),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          odd.map((properties) => ({ properties })),
        ),
        (declared) => {
          expect(findHeadersProblem(declared) ?? 'has the `x-mcp-header` ').toMatch(
            /^has the `x-mcp-header` /,
          );
        },
      ),
      RUN_OPTIONS,
    );
  });
});
