import type { ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelReply, ModelRequest } from '../../../../src/model/entry.ts';
import { hello } from './openai-compatible/fake-server.ts';

export interface AskParameters {
  readonly stream?: boolean;
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  readonly onText?: (piece: string) => void;
}

/** The outcome of one request, with the pieces of text that were passed on. */
export const settle = async (model: ChatModel, asking: AskParameters = {}) => {
  const {
    stream = false,
    request = hello,
    signal = new AbortController().signal,
    onText = () => {},
  } = asking;
  const pieces: string[] = [];
  const collect = (piece: string): void => {
    pieces.push(piece);
    onText(piece);
  };
  const thoughts: string[] = [];
  const onReasoning = (piece: string): void => void thoughts.push(piece);
  const listening = stream ? { signal, onText: collect, onReasoning } : { signal };
  const settled = await model.ask(request, listening).then(
    (reply): { reply: ModelReply } => ({ reply }),
    (error: ModelError): { error: ModelError } => ({ error }),
  );
  return { ...settled, pieces, thoughts };
};

/** Returns the error of a request that must fail, as plain fields. */
export const getFailure = (outcome: Awaited<ReturnType<typeof settle>>) => {
  if ('reply' in outcome)
    throw new Error(`The model must fail, but it replied: ${JSON.stringify(outcome.reply)}`);
  const { name, failure, message, status, outputBegan, cause } = outcome.error;
  return { name, failure, message, status, outputBegan, cause };
};

/** Returns the reply of a request that must succeed. */
export const getReply = (outcome: Awaited<ReturnType<typeof settle>>): ModelReply => {
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
};
