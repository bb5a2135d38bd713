import { describe, expect, it } from 'vitest';
import { createToolResult, isToolResult, modelText } from '../../../doors/tools.ts';

describe('a tool result', () => {
  it('is recognized by its mark, never by its shape', () => {
    expect(isToolResult({ type: 'error', message: 'no' })).toBe(false);
    expect(isToolResult(createToolResult({ type: 'error', message: 'no' }))).toBe(true);
  });

  it('is shown to the model as its text, its JSON, or "Error: ..." (RES-02)', () => {
    expect(modelText({ type: 'text', content: 'hi' })).toBe('hi');
    expect(modelText({ type: 'artifact', content: 'a report', value: [1] })).toBe('a report');
    expect(modelText({ type: 'artifact', value: [1] })).toBe('[1]');
    expect(modelText({ type: 'error', message: 'no such order' })).toBe('Error: no such order');
  });
});
