import { sessionContract } from '../../../fixtures/session-contract.ts';
import { makeObjectHarness } from './object-harness.ts';

sessionContract('the session object', makeObjectHarness);
