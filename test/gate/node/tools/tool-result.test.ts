import { describe, expect, it } from 'vitest';
import { createToolResult, getModelText, isToolResult } from '../../../doors/tools.ts';

describe('a tool result', () => {
  it('is recognized by its mark, never by its shape', () => {
    expect(isToolResult({ type: 'error', message: 'no' })).toBe(false);
    expect(isToolResult(createToolResult({ type: 'error', message: 'no' }))).toBe(true);
  });

  it('is shown to the model as its text, its JSON, or "Error: ..." (RES-02)', () => {
    expect(getModelText({ type: 'text', content: 'hi' })).toBe('hi');
    expect(getModelText({ type: 'artifact', content: 'a report', value: [1] })).toBe('a report');
    expect(getModelText({ type: 'artifact', value: [1] })).toBe('[1]');
    expect(getModelText({ type: 'error', message: 'no such order' })).toBe('Error: no such order');
  });
});
