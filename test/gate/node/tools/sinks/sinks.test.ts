import { describe, expect, it } from 'vitest';
import { exitEarly } from '../../../../../src/index.ts';
import { compositeSink, listSink, type SinkCall } from '../../../../../src/modules/decorators/entry.ts';
import { createFakeCall } from '../fake-call.ts';

const call: SinkCall = { ...createFakeCall().call, artifact: { json: 1 } };
const throwFailure = (failure: unknown) => () => {
  throw failure;
};

describe('a list sink', () => {
  it('collects artifacts in order, and returns a copy of them (DEC-10)', async () => {
    const sink = listSink<number>();
    await sink(1, call);
    const before = sink.items();
    await sink(2, call);
    expect(before).toEqual([1]);
    expect(sink.items()).toEqual([1, 2]);
  });

  it('can fill a list that the caller provides (DEC-10)', async () => {
    const list = ['zero'];
    const sink = listSink(list);
    await sink('one', call);
    expect(list).toEqual(['zero', 'one']);
    expect(sink.items()).toEqual(['zero', 'one']);
    expect(sink.items()).not.toBe(list);
  });
});

describe('a composite sink', () => {
  it('passes each artifact to all its sinks, one after another (DEC-10)', async () => {
    const steps: string[] = [];
    const writeSlowly = async (artifact: string, { id }: SinkCall): Promise<void> => {
      await Promise.resolve();
      steps.push(`slow ${artifact} ${id}`);
    };
    const sink = compositeSink<string>(
      writeSlowly,
      (artifact, { id }) => void steps.push(`fast ${artifact} ${id}`),
    );
    await sink('a', call);
    expect(steps).toEqual(['slow a 1.2.0', 'fast a 1.2.0']);
  });

  it('ignores artifacts if it has no sinks (DEC-10)', async () => {
    expect(await compositeSink()('a', call)).toBeUndefined();
  });

  it('passes an artifact to the other sinks if one fails, and then throws that error', async () => {
    const list = listSink<string>();
    const one = new Error('one');
    await expect(compositeSink(throwFailure(one), list)('a', call)).rejects.toBe(one);
    expect(list.items()).toEqual(['a']);
    const both = compositeSink(throwFailure(one), throwFailure(new Error('two')));
    await expect(both('a', call)).rejects.toEqual(
      new AggregateError([one, new Error('two')], '2 sinks failed.'),
    );
  });

  it('throws a control-flow signal before any other error', async () => {
    const signal = exitEarly('Enough.');
    await expect(compositeSink(throwFailure(new Error('one')), throwFailure(signal))('a', call)).rejects.toBe(
      signal,
    );
  });
});
