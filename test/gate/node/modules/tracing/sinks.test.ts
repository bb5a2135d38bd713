/** Receivers of traces and metrics other than OTLP, and the settings of all receivers. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PlatformSpan, tracing } from '../../../../../src/modules/tracing/entry.ts';
import { createTracedApp } from './traced-app.ts';

afterEach(() => void vi.unstubAllGlobals());

describe('the tracing of the platform', () => {
  it('has a span with the turn around each model call and each tool call', async () => {
    const spans: { readonly name: string; readonly attributes: Record<string, string>; isOver: boolean }[] =
      [];
    const platform = {
      enterSpan<T>(name: string, callback: (span: PlatformSpan) => T): T {
        const one = { name, attributes: {} as Record<string, string>, isOver: false };
        spans.push(one);
        const result = callback({ setAttribute: (key, value) => (one.attributes[key] = value) });
        void Promise.resolve(result).then(() => (one.isOver = true));
        return result;
      },
    };
    const { say } = createTracedApp({ config: { platform } });
    const turn = await say('Pay.');
    expect(spans.map(({ name, isOver }) => [name, isOver])).toEqual([
      ['chat scripted', true],
      ['execute_tool pay', true],
      ['chat scripted', true],
    ]);
    expect(spans.map(({ attributes }) => attributes['holdfast.turn'])).toEqual([turn, turn, turn]);
    expect(spans[1]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'pay',
      'gen_ai.tool.call.id': `${turn}.3.0`,
      'holdfast.tool.effect': 'once',
    });
  });
});

describe('a dataset of Analytics Engine', () => {
  it('receives one point for each measurement, even without an OTLP receiver', async () => {
    const points: unknown[] = [];
    const TURNS = { writeDataPoint: (point: unknown) => void points.push(point) };
    const config = { endpoint: undefined, analytics: (env: Readonly<Record<string, unknown>>) => env.TURNS };
    const { say, clock, sent, over } = createTracedApp({ config, env: { TURNS } });
    await say('Pay.');
    await clock.advance(0);
    expect(over.map(({ ref }) => JSON.parse(ref)[0])).toEqual(['metrics']);
    expect(sent).toEqual([]);
    const operation = ['invoke_agent', 'clerk', '', '', '', 'completed', ''];
    expect(points).toHaveLength(9);
    expect(points.slice(0, 2)).toEqual([
      {
        indexes: ['gen_ai.invoke_agent.duration'],
        blobs: ['gen_ai.invoke_agent.duration', ...operation],
        doubles: [0],
      },
      {
        indexes: ['holdfast.turn.take_overs'],
        blobs: ['holdfast.turn.take_overs', ...operation],
        doubles: [0],
      },
    ]);
    expect(points[3]).toEqual({
      indexes: ['gen_ai.client.inference.operation.input_tokens'],
      blobs: [
        ...['gen_ai.client.inference.operation.input_tokens', 'chat', '', 'scripted', 'unknown', '', '', ''],
      ],
      doubles: [100],
    });
  });
});

describe('the settings of tracing', () => {
  it.each([
    [{ endpoint: 'http://otlp.example.com' }, "tracing() has no usable 'endpoint'. It must be an https URL"],
    [{ endpoint: 'https://ann:secret@otlp.example.com' }, "tracing() has no usable 'endpoint'"],
    [{ name: 'a b' }, "tracing() needs a 'name' of 1 to 64 of the characters A-Z a-z 0-9 _ -."],
  ])('are refused without a credential in the error: %j', (config, message) => {
    expect(() => tracing(config)).toThrow(message);
    expect(() => tracing(config)).not.toThrow('secret');
  });

  it('cause a log line and another export attempt if a variable is missing', async () => {
    const { say, clock, sent, logged } = createTracedApp({
      config: { headers: (env) => ({ 'x-key': env.MISSING }) },
    });
    await say('Pay.');
    await clock.advance(0);
    expect(sent).toEqual([]);
    const message =
      "the receiver has no usable 'headers'. Each must be a string of visible ASCII, so set the vars that they read";
    expect(logged).toMatchObject([{ level: 'warn', message: expect.stringContaining(message) }]);
  });
});
