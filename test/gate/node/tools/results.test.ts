import { describe, expect, it } from 'vitest';
import { artifact, error, text } from '../../../../src/index.ts';
import { createToolResult, getModelText, isToolResult } from '../../../doors/tools.ts';

describe('text, artifact and error results (RES-01)', () => {
  it('are recognized', () => {
    expect([text('a'), artifact('a', 1), error('a')].map(isToolResult)).toEqual([true, true, true]);
  });

  it('have only plain data', () => {
    expect({ ...text('hi') }).toEqual({ type: 'text', content: 'hi' });
    expect({ ...artifact('a report', [1]) }).toEqual({ type: 'artifact', content: 'a report', value: [1] });
    expect({ ...error('no such order') }).toEqual({ type: 'error', message: 'no such order' });
  });

  it('keep the type of an artifact', () => {
    expect({ ...artifact('Ada', { name: 'Customer' }, { id: '7' }) }).toEqual({
      type: 'artifact',
      content: 'Ada',
      value: { id: '7' },
      artifactType: 'Customer',
    });
  });

  it('accept an artifact without a type, even if the artifact looks like a type', () => {
    expect({ ...artifact('a name', { name: 'Customer' }) }).toEqual({
      type: 'artifact',
      content: 'a name',
      value: { name: 'Customer' },
    });
  });

  it('show the model only the text of an artifact (RES-02, RES-05, S0-047)', () => {
    expect(getModelText(artifact('Generated report', { pages: 3 }))).toBe('Generated report');
    expect(getModelText(error('no such order'))).toBe('Error: no such order');
  });

  it('have a text for every kind (RES-03)', () => {
    const results = [
      text('42'),
      artifact('a report', [1]),
      createToolResult({ type: 'artifact', value: { n: 1 } }),
      error('no such order'),
    ];
    expect(results.map((result) => result.content)).toEqual(['42', 'a report', '{"n":1}', 'no such order']);
    expect(results.map((result) => result.text())).toEqual(results.map(({ content }) => content));
  });

  it('store each part only once in the journal', () => {
    expect(JSON.stringify(error('no'))).toBe('{"type":"error","message":"no"}');
    expect(JSON.stringify(createToolResult({ type: 'artifact', value: 1 }))).toBe(
      '{"type":"artifact","value":1}',
    );
  });
});
