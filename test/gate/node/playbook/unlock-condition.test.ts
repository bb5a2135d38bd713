import { describe, expect, it, vi } from 'vitest';
import { artifact } from '../../../../src/index.ts';
import {
  after,
  allOf,
  anyOf,
  onArtifact,
  onArtifactMatching,
  onBlackboard,
  onBlackboardMatching,
  type UnlockCondition,
  when,
} from '../../../../src/kinds/entry.ts';
import {
  analyze,
  createReturningTool,
  createTool,
  Document,
  formatLocked,
  formatPrerequisites,
  getInnerResults,
  listDescriptions,
  playPlaybook,
  report,
  search,
  useTools,
} from './scenes.ts';

const shortDocument = { title: 'Tides', pages: 2 };
const longDocument = { title: 'Oceans', pages: 900 };

/** Calls the locked `report` before, between and after these tools, and returns its results. */
async function tryCondition(
  unlockedBy: UnlockCondition<'first' | 'second'>,
  first: ReturnType<typeof createTool<'first'>>,
  second: ReturnType<typeof createTool<'second'>> = createTool('second'),
): Promise<readonly (string | undefined)[]> {
  const config = { tools: [first, second], locked: [{ tool: report, unlockedBy }] };
  const inside = ['report', 'first', 'report', 'second', 'report'].map((name) => useTools(name));
  const [before, , between, , behind] = getInnerResults(await playPlaybook(config, inside));
  return [before, between, behind];
}

const formatMissingTools = (names: string): string => formatLocked(`You must first use: ${names}`);
const eitherText = formatLocked('At least one prerequisite condition must be met.');
const unmetText = formatLocked('Prerequisites have not been met yet.');
const noDocumentText = formatLocked('You must first produce an artifact of type: Document');
const open = 'report done';

describe('a condition on the use of tools', () => {
  it.each<[string, UnlockCondition<'first' | 'second'>, readonly string[]]>([
    ['one tool', after('first'), [formatMissingTools('first'), open, open]],
    ['a tool instead of its name', after(createTool('first')), [formatMissingTools('first'), open, open]],
    ['a tool that is named twice', after('first', 'first'), [formatMissingTools('first'), open, open]],
    [
      'several tools',
      after('first', 'second'),
      [formatMissingTools('first, second'), formatMissingTools('second'), open],
    ],
    [
      'allOf',
      allOf(after('first'), after('second')),
      [formatMissingTools('first. You must first use: second'), formatMissingTools('second'), open],
    ],
    ['the first condition of anyOf', anyOf(after('first'), after('second')), [eitherText, open, open]],
    [
      'the second condition of anyOf',
      anyOf(
        after('second'),
        when(() => false),
      ),
      [eitherText, eitherText, open],
    ],
    [
      'anyOf inside allOf',
      allOf(anyOf(after('first'), after('second')), after('second')),
      [
        formatLocked('At least one prerequisite condition must be met. You must first use: second'),
        formatMissingTools('second'),
        open,
      ],
    ],
    ['allOf inside anyOf', anyOf(allOf(after('first'), after('second'))), [eitherText, eitherText, open]],
  ])(
    'unlocks the tool by %s, and reports the missing uses (PLY-01, PLY-02, PLY-04)',
    async (_, condition, answers) => {
      expect(await tryCondition(condition, createTool('first'))).toEqual(answers);
    },
  );
});

describe('a condition on artifacts', () => {
  const isLong = onArtifact(Document, ({ pages }) => pages > 100);
  const isTitled = onArtifactMatching(
    ({ type, value }) => type === 'Document' && Object(value).title === 'Oceans',
  );
  it.each<[string, UnlockCondition<never>, unknown, unknown, readonly string[]]>([
    [
      'an artifact of its type',
      onArtifact(Document),
      shortDocument,
      longDocument,
      [noDocumentText, open, open],
    ],
    [
      'a list of its type',
      onArtifact(Document),
      [shortDocument, longDocument],
      longDocument,
      [noDocumentText, open, open],
    ],
    [
      'a matching item of a list',
      isLong,
      [shortDocument, longDocument],
      shortDocument,
      [noDocumentText, open, open],
    ],
    [
      'a matching artifact after one that does not match',
      isLong,
      shortDocument,
      longDocument,
      [noDocumentText, unmetText, open],
    ],
    [
      'a matching artifact of any type',
      isTitled,
      shortDocument,
      [longDocument],
      [unmetText, unmetText, open],
    ],
    [
      'an artifact of its type, but not by an empty list',
      onArtifact(Document),
      [],
      longDocument,
      [noDocumentText, noDocumentText, open],
    ],
    [
      'an artifact of its type, but not by one that its schema refuses',
      onArtifact(Document),
      { pages: 1 },
      longDocument,
      [noDocumentText, noDocumentText, open],
    ],
    [
      'a matching artifact, but not by one that its schema refuses',
      onArtifact(Document, () => true),
      {},
      longDocument,
      [noDocumentText, noDocumentText, open],
    ],
  ])('unlocks the tool by %s (PLY-01, PLY-02, PLY-06)', async (_, condition, first, second, answers) => {
    expect(
      await tryCondition(
        condition,
        createReturningTool('first', first),
        createReturningTool('second', second),
      ),
    ).toEqual(answers);
  });

  it('is not met by an untyped artifact of the same shape, because types are compared by name', async () => {
    expect(
      await tryCondition(
        onArtifact(Document),
        createTool('first', () => shortDocument),
      ),
    ).toEqual([noDocumentText, noDocumentText, noDocumentText]);
  });

  it('stays met after an artifact that does not match', async () => {
    expect(
      await tryCondition(
        isLong,
        createReturningTool('first', longDocument),
        createReturningTool('second', shortDocument),
      ),
    ).toEqual([noDocumentText, open, open]);
  });

  it('is evaluated once per artifact, with the JSON of its value', async () => {
    const asked: unknown[] = [];
    const condition = onArtifactMatching(({ value }) => asked.push(value) > 99);
    await tryCondition(
      condition,
      createTool('first', () => ({ at: 1, gone: undefined })),
      createReturningTool('second', [shortDocument]),
    );
    expect(asked).toStrictEqual([{ at: 1 }, shortDocument]);
  });
});

describe('a condition on the blackboard', () => {
  const createAddingTool = (
    value: { title: string; pages?: number },
    options?: { name?: string; type?: string },
  ) => createTool('first', ({ blackboard }) => blackboard.add({ ...value }, options));
  const isLong = onBlackboard(Document, ({ pages }) => pages > 100);
  const named = onBlackboardMatching(
    ({ name, value }) => name === 'draft' && Object(value).title === 'Tides',
  );
  it.each<[string, UnlockCondition<never>, ReturnType<typeof createAddingTool>, readonly string[]]>([
    [
      'is met by an object of its type',
      onBlackboard(Document),
      createAddingTool(shortDocument, { type: 'Document' }),
      [unmetText, open, open],
    ],
    [
      'is not met by an entry that its schema refuses',
      onBlackboard(Document),
      createAddingTool({ title: 'x' }, { type: 'Document' }),
      [unmetText, unmetText, unmetText],
    ],
    [
      'is met by an entry that its predicate accepts',
      isLong,
      createAddingTool(longDocument, { type: 'Document' }),
      [unmetText, open, open],
    ],
    [
      'is not met by an entry that its predicate refuses',
      isLong,
      createAddingTool(shortDocument, { type: 'Document' }),
      [unmetText, unmetText, unmetText],
    ],
    [
      'is not met by an untyped entry, even if its predicate would accept it',
      isLong,
      createAddingTool(longDocument),
      [unmetText, unmetText, unmetText],
    ],
    [
      'is not met by an entry that its schema refuses, even with a predicate',
      isLong,
      createAddingTool({ title: 'x' }, { type: 'Document' }),
      [unmetText, unmetText, unmetText],
    ],
    [
      'is not met by an entry without the name of its type',
      onBlackboard(Document),
      createAddingTool(shortDocument),
      [unmetText, unmetText, unmetText],
    ],
    [
      'is met by a matching entry of any type',
      named,
      createAddingTool(shortDocument, { name: 'draft' }),
      [unmetText, open, open],
    ],
    [
      'is not met by an entry that does not match',
      named,
      createAddingTool(shortDocument),
      [unmetText, unmetText, unmetText],
    ],
  ])('%s (PLY-01, PLY-02, PLY-10)', async (_, condition, first, answers) => {
    expect(await tryCondition(condition, first)).toEqual(answers);
  });
});

describe('a custom condition', () => {
  it('receives the progress, which counts successful calls but not replies (PLY-01, PLY-08)', async () => {
    const three = when((progress) => progress.toolExecutions >= 3);
    const inside = [useTools('search', 'search'), useTools('report'), useTools('search'), useTools('report')];
    const answers = getInnerResults(
      await playPlaybook({ tools: [search], locked: [{ tool: report, unlockedBy: three }] }, inside),
    );
    expect(answers).toEqual(['search done', 'search done', unmetText, 'search done', open]);
  });

  it('receives the counts of tools and artifacts, and can look them up by name or by reference (PLY-06)', async () => {
    const finds = createReturningTool('finds', [shortDocument, longDocument]);
    const told: unknown[] = [];
    const tells = when((progress) => {
      const { toolExecutions, used, produced } = progress;
      told.push([
        toolExecutions,
        used(finds),
        used('finds'),
        produced(Document),
        produced('Document'),
        used('x'),
      ]);
      return true;
    });
    await playPlaybook({ tools: [finds], locked: [{ tool: report, unlockedBy: tells }] }, [
      useTools('finds'),
      useTools('finds'),
      useTools('report'),
    ]);
    expect(told.at(-1)).toEqual([2, 2, 2, 4, 4, 0]);
  });

  it('receives the loop with its iterations, context and blackboard (PLY-02)', async () => {
    const second = when((_, { iterations, path }) => iterations >= 2 && path === 'desk/researcher');
    const config = { tools: [search], locked: [{ tool: report, unlockedBy: second }] };
    const answers = getInnerResults(await playPlaybook(config, [useTools('report'), useTools('report')]));
    expect(answers).toEqual([unmetText, open]);
  });

  it('can lock its tool again, even during a batch', async () => {
    const once = when((progress) => progress.used('report') === 0);
    const config = { tools: [search], locked: [{ tool: report, unlockedBy: once }] };
    expect(getInnerResults(await playPlaybook(config, [useTools('report', 'report')]))).toEqual([
      open,
      unmetText,
    ]);
  });

  it('counts as false if it throws, and a warning is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const throwBroken = (): never => {
      throw new Error('broken');
    };
    const conditions = [
      when(throwBroken),
      onArtifactMatching(throwBroken),
      onBlackboardMatching(throwBroken),
      onBlackboard(Document, throwBroken),
    ];
    for (const unlockedBy of conditions) {
      const adds = createTool('first', ({ blackboard }) => {
        blackboard.add(shortDocument, { type: 'Document' });
        return shortDocument;
      });
      expect(await tryCondition(unlockedBy, adds)).toEqual([unmetText, unmetText, unmetText]);
      expect(log).toHaveBeenCalledWith(
        "holdfast: an unlock condition of tool 'report' threw",
        new Error('broken'),
      );
      log.mockClear();
    }
    log.mockRestore();
  });
});

describe('a condition that returns a promise', () => {
  it('counts as false, even if the promise resolves to true, and one warning is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    // Plain JavaScript can pass this.
    const createLateAnswer = (answer: () => unknown) => (async () => answer()) as unknown as () => boolean;
    const throwBroken = (): never => {
      throw new Error('broken');
    };
    const conditions = [when, onArtifactMatching, onBlackboardMatching].flatMap((condition) => [
      condition(createLateAnswer(() => true)),
      condition(createLateAnswer(throwBroken)),
    ]);
    conditions.push(
      onArtifact(
        Document,
        createLateAnswer(() => true),
      ),
      onBlackboard(
        Document,
        createLateAnswer(() => true),
      ),
    );
    for (const unlockedBy of conditions) {
      const adds = createTool('first', ({ blackboard }) => {
        blackboard.add(shortDocument, { type: 'Document' });
        return artifact('Found.', Document, shortDocument);
      });
      const [before, ...afterwards] = await tryCondition(unlockedBy, adds);
      expect([before, ...afterwards]).toEqual([
        before === noDocumentText ? noDocumentText : unmetText,
        unmetText,
        unmetText,
      ]);
      expect(log.mock.calls).toEqual([
        ["holdfast: an unlock condition of tool 'report' returns a promise, but must be synchronous"],
      ]);
      log.mockClear();
    }
    log.mockRestore();
  });

  it.each([1, 'yes', {}])('counts as false if it returns %j', async (answer) => {
    const truthy = (() => answer) as unknown as () => boolean;
    expect(await tryCondition(when(truthy), createTool('first'))).toEqual([unmetText, unmetText, unmetText]);
  });
});

describe('a locked tool', () => {
  const config = { tools: [search], locked: [{ tool: analyze, unlockedBy: after(search) }] };

  it('has the same definition before and after it is unlocked, so that the same list is offered (PLY-05)', async () => {
    const replies = [useTools('analyze'), useTools('search'), useTools('analyze')];
    const { inside } = await playPlaybook(config, replies);
    expect(listDescriptions('analyze', inside)).toEqual(Array(4).fill('Does analyze.'));
    for (const { tools } of inside) expect(tools).toEqual(inside[0]?.tools);
    const warm = await playPlaybook(config, replies, true);
    for (const { tools } of warm.inside) expect(tools).toBe(warm.inside[0]?.tools);
  });

  it('is listed from the start with its condition, in a text that never changes (PLY-05, PLY-09)', async () => {
    const fits = () => true;
    const used = after('search', 'analyze');
    const conditions: readonly (readonly [string, UnlockCondition<'search' | 'analyze'>])[] = [
      ['use search', after('search')],
      ['use search and use analyze', used],
      ['produce an artifact of type Document', onArtifact(Document)],
      ['produce an artifact of type Document that meets a condition', onArtifact(Document, fits)],
      ['produce an artifact that meets a condition', onArtifactMatching(fits)],
      ['have an object of type Document on the blackboard that meets a condition', onBlackboard(Document)],
      ['have an entry on the blackboard that meets a condition', onBlackboardMatching(fits)],
      ['meet a condition on what has been done', when(fits)],
      [
        '(use search and use analyze) or produce an artifact of type Document',
        anyOf(used, onArtifact(Document)),
      ],
      [
        'use search and (use analyze or use search)',
        allOf(after('search'), anyOf(after('analyze'), after('search'))),
      ],
      ['use search and use analyze', allOf(used)],
    ];
    const behind = conditions.map(([, unlockedBy], at) => ({ tool: createTool(`step${at}`), unlockedBy }));
    const { inside } = await playPlaybook({ tools: [search, analyze], locked: behind }, [
      useTools('search'),
      useTools('analyze'),
    ]);
    const told = formatPrerequisites(...conditions.map(([needed], at) => `step${at}: first ${needed}`));
    expect(inside.map(({ messages }) => messages[0]?.text.split('\n\n')[1])).toEqual(Array(3).fill(told));
  });

  it('returns guidance instead of a failure: it does not run, and the call is not counted (PLY-03, PLY-06)', async () => {
    const { session, inside } = await playPlaybook(config, [useTools('analyze')]);
    expect(getInnerResults({ inside })).toEqual([formatMissingTools('search')]);
    const ended = (await session.events()).flatMap((event) =>
      event.type === 'tool-call-ended' && event.frame !== undefined ? [event] : [],
    );
    expect(ended).toEqual([
      expect.objectContaining({
        result: { type: 'text', content: formatMissingTools('search'), withheld: true },
      }),
    ]);
    expect(ended[0]).not.toHaveProperty('changes');
    expect((await session.events()).filter((event) => event.type === 'tool-call-started')).toEqual([]);
  });

  it('is not unlocked by a failed or withheld call (PLY-07)', async () => {
    const fails = createTool('fails', () => {
      throw new Error('No.');
    });
    const answers = getInnerResults(
      await playPlaybook(
        {
          tools: [search, fails],
          locked: [
            { tool: analyze, unlockedBy: after(fails) },
            { tool: report, unlockedBy: after(analyze) },
          ],
        },
        [useTools('fails'), useTools('analyze'), useTools('report')],
      ),
    );
    expect(answers).toEqual(['Error: No.', formatMissingTools('fails'), formatMissingTools('analyze')]);
  });
});
