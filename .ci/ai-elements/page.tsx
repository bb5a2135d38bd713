/** A chat made of components of AI Elements, with all that a person may do in it. */
import { useChat } from '@ai-sdk/react';
import {
  Confirmation,
  ConfirmationAccepted,
  ConfirmationAction,
  ConfirmationActions,
  ConfirmationRejected,
  ConfirmationRequest,
} from '@repo/elements/confirmation';
import { Conversation, ConversationContent } from '@repo/elements/conversation';
import {
  Message,
  MessageAction,
  MessageActions,
  MessageContent,
  MessageResponse,
} from '@repo/elements/message';
import {
  PromptInput,
  PromptInputBody,
  PromptInputFooter,
  PromptInputSubmit,
  PromptInputTextarea,
} from '@repo/elements/prompt-input';
import { Tool, ToolContent, ToolHeader, ToolInput, ToolOutput } from '@repo/elements/tool';
import { type DynamicToolUIPart, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';
import { HoldfastChatTransport, isAnswered } from '../../src/client/ai-sdk/entry.ts';

declare const AGENT: { readonly api: string; readonly headers: Record<string, string> };
const transport = new HoldfastChatTransport(AGENT);

export default function Page() {
  const chat = useChat({ transport, sendAutomaticallyWhen: isAnswered });
  const { messages, status, regenerate, stop, sendMessage, addToolApprovalResponse } = chat;
  return (
    <div className="mx-auto flex h-screen max-w-3xl flex-col p-6">
      <Conversation>
        <ConversationContent>
          {messages.map((message) => (
            <Message from={message.role} key={message.id}>
              <MessageContent>
                {message.parts.map((part, index) => (
                  <Part
                    key={index}
                    part={part}
                    decide={(id, approved) => addToolApprovalResponse({ id, approved })}
                  />
                ))}
              </MessageContent>
              {message.role === 'assistant' && status === 'ready' && (
                <MessageActions>
                  <MessageAction label="Retry" onClick={() => regenerate({ messageId: message.id })}>
                    ↻
                  </MessageAction>
                </MessageActions>
              )}
            </Message>
          ))}
        </ConversationContent>
      </Conversation>
      <PromptInput className="mt-4" onSubmit={({ text, files }) => void sendMessage({ text, files })}>
        <PromptInputBody>
          <PromptInputTextarea aria-label="Message" />
        </PromptInputBody>
        <PromptInputFooter>
          <span />
          <PromptInputSubmit status={status} onStop={stop} />
        </PromptInputFooter>
      </PromptInput>
    </div>
  );
}

interface PartProps {
  readonly part: UIMessage['parts'][number];
  decide(id: string, approved: boolean): void;
}

function Part({ part, decide }: PartProps) {
  if (part.type === 'text') return <MessageResponse>{part.text}</MessageResponse>;
  return isToolUIPart(part) ? <Call part={part} decide={decide} /> : null;
}

function Call({
  part,
  decide,
}: {
  readonly part: ToolUIPart | DynamicToolUIPart;
  readonly decide: PartProps['decide'];
}) {
  const { approval, state } = part;
  const header =
    part.type === 'dynamic-tool' ? { type: part.type, toolName: part.toolName } : { type: part.type };
  return (
    <Tool defaultOpen>
      <ToolHeader {...header} state={state} />
      <ToolContent>
        <ToolInput input={part.input} />
        <Confirmation approval={approval} state={state}>
          <ConfirmationRequest>{String(Object(approval?.descriptor).message)}</ConfirmationRequest>
          <ConfirmationAccepted>You approved this.</ConfirmationAccepted>
          <ConfirmationRejected>You rejected this.</ConfirmationRejected>
          <ConfirmationActions>
            <ConfirmationAction variant="outline" onClick={() => approval && decide(approval.id, false)}>
              Reject
            </ConfirmationAction>
            <ConfirmationAction onClick={() => approval && decide(approval.id, true)}>
              Approve
            </ConfirmationAction>
          </ConfirmationActions>
        </Confirmation>
        <ToolOutput output={part.output} errorText={part.errorText} />
      </ToolContent>
    </Tool>
  );
}
