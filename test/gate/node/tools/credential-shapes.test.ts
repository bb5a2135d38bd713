import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCredentialPath } from '../../../doors/tools.ts';

const RANDOM_TOKEN = 'q7Zt0Xb2Lk9Vw4Rf6Nh1Mj8Ds3Py5Gc7Ta2Ue9';

describe('credentialIn', () => {
  it.each([
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbg=='],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
    ['an OpenAI key', 'sk-proj-abcdefgh1234567890'],
    ['a Stripe key', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
    ['a GitHub token', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0abcdefghijklmnop'],
    ['a GitLab token', 'glpat-abcdefghij0123456789'],
    ['a Slack token', 'xoxb-123456789012-abcdef'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE'],
    ['a Google key', 'AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['an npm token', 'npm_abcdefghijklmnop1234'],
    ['a bearer header', 'Authorization: Bearer abcdef123456'],
    ['a basic header', 'Basic dXNlcjpwYXNzd29yZA=='],
    ['an assignment', 'the password is: no, password=hunter2'],
    ['a URL with a password', 'postgres://app:hunter2@db.example/x'],
    ['a URL with a token', 'https://x.example/?token=abcd1234'],
    ['a long random text', RANDOM_TOKEN],
    ['a secret within text', `Take ${RANDOM_TOKEN}, please.`],
  ])('finds %s', (_, text) => {
    expect(findCredentialPath(text)).toEqual([]);
    expect(findCredentialPath({ a: [1, { b: text }] })).toEqual(['a', 1, 'b']);
    expect(findCredentialPath({ a: { [text]: true } })).toEqual(['a']);
  });

  it.each([
    ['words', 'A table by the window, for four people, at seven o’clock.'],
    ['words about passwords', 'My password does not work, and the token of the bus neither.'],
    ['an address', 'https://docs.example/d/2026/reports/customer-support-escalation'],
    ['an email address', 'ann.smith+table@example.com'],
    ['a UUID', '3f2b8c1e-9d4a-4f6b-8a7c-1e2d3c4b5a69'],
    ['a checksum', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['a long name', 'CustomerSupportEscalationProcedure2024Version3'],
    ['a long path', 'src/components/Checkout/PaymentMethodSelector2.test.tsx'],
    ['numbers', '+49 30 901820 4111-1111'],
    ['basic words', 'basic understanding of bearer certificates'],
    ['a compound', 'task-force-management-and-planning'],
  ])('finds no credential in %s', (_, text) => {
    expect(findCredentialPath({ a: text, [text]: [text] })).toBeUndefined();
  });

  it('finds no credential in a value that is not text', () => {
    expect(findCredentialPath({ a: [1, true, null, {}] })).toBeUndefined();
  });

  it('takes time linear in the length of the text', () => {
    const piece = fc.constantFrom(
      'sk-',
      'eyJ-',
      'token ',
      '://',
      'a:',
      '-----BEGIN ',
      'A1b',
      ' ',
      'bearer ',
      '@',
      '=',
    );
    const pieces = fc.array(piece, { minLength: 1, maxLength: 3 });
    const property = fc.property(pieces, (some) => void findCredentialPath(some.join('').repeat(20_000)));
    fc.assert(property, { numRuns: 40, seed: 20_261_123 });
  });
});
