/** A page of assistant-ui, whose chats go to the agent `desk` of a Worker. */
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import { useChatRuntime } from '@assistant-ui/react-ai-sdk';
import { createRoot } from 'react-dom/client';
import { HoldfastChatTransport } from '../../../../src/client/ai-sdk/entry.ts';

const { searchParams } = new URL(location.href);
const transport = new HoldfastChatTransport({
  api: `${searchParams.get('worker')}/agents/desk/chat`,
  headers: { authorization: `Bearer ${searchParams.get('token')}` },
});

function Page() {
  const runtime = useChatRuntime({ transport });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ol>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage, EditComposer }} />
        </ol>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const UserMessage = () => (
  <li className="user">
    <p>
      <MessagePrimitive.Content />
    </p>
    <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
  </li>
);

const EditComposer = () => (
  <li className="user">
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input aria-label="Other words" />
      <ComposerPrimitive.Send>Update</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  </li>
);

const AssistantMessage = () => (
  <li className="assistant">
    <p>
      <MessagePrimitive.Content components={{ Reasoning: () => null }} />
    </p>
    <MessagePrimitive.Error>
      <ErrorPrimitive.Root role="alert">
        <ErrorPrimitive.Message />
      </ErrorPrimitive.Root>
    </MessagePrimitive.Error>
    <ActionBarPrimitive.Reload>Regenerate</ActionBarPrimitive.Reload>
  </li>
);

const root = document.getElementById('root');
if (root) createRoot(root).render(<Page />);
