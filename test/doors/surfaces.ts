/** A door for tests. What surfaces are made of. */
export { toUiMessages } from '../../src/surfaces/ai-sdk-ui/ui-messages.ts';
