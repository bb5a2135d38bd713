/**
 * A thread built from the primitives of assistant-ui. It replaces the component that the CLI of assistant-ui
 * copies into a project.
 */
import {
  ActionBarPrimitive,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';

export function Thread() {
  return (
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
