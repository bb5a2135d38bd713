import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelOfEnv } from '../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { offlineModel, orOffline } from '../../../../src/offline-model/entry.ts';
import { ConfigurationError } from '../../../doors/model.ts';

const other = { ...offlineModel(), name: 'other' };
const createOtherModel: ModelOfEnv = () => other;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('`orOffline`', () => {
  it.each([
    ['offline', 'offline'],
    [' offline\n', 'offline'],
    ['', 'other'],
    ['gpt-5', 'other'],
    [undefined, 'other'],
  ])('with the var MODEL = %j returns the model %j', (MODEL, name) => {
    expect(orOffline(createOtherModel)({ MODEL }).name).toBe(name);
  });

  it('returns the other model if the var MODEL is missing', () => {
    expect(orOffline(createOtherModel)({})).toBe(other);
  });

  it('can be checked at deployment if the other model can be checked', () => {
    expect(orOffline(createOtherModel).isChecked).toBeUndefined();
    expect(orOffline(openaiCompatible()).isChecked).toBe(true);
  });

  it('returns the other model in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(orOffline(createOtherModel)).toBe(createOtherModel);
    expect(() => orOffline(openaiCompatible())({ MODEL: 'offline' })).toThrow(ConfigurationError);
  });

  it('returns the other model if `process` does not exist', () => {
    vi.stubGlobal('process', undefined);
    expect(orOffline(createOtherModel)).toBe(createOtherModel);
  });
});
